// What is said of a link: how odd it is, and where the page has it.

import type { Schemas } from './api/client';
import { percentile } from './format';

type Place = Schemas['Place'];
type Corpus = Schemas['CorpusFacts'];

/** The places that are not named: where a link is part of the text. */
const PROSE = 'prose';

const PLACES: Record<Place, string> = {
  [PROSE]: '',
  caption: 'in a caption',
  list: 'in a list',
  hatnote: 'in a note at the head',
  table: 'in a table',
  template: 'in a template',
  'end-matter': 'in a list at the end',
  reference: 'in a reference',
  heading: 'in a heading',
};

/** Where a link is, in words; nothing where it is in a sentence of the text, or that is not known. */
export const placeInWords = (place: Place | null | undefined): string => (place ? PLACES[place] : '');

/** Whether a link is in a place that is ranked unless asked for others. */
export const isInText = (corpus: Corpus, place: Place | null | undefined): boolean =>
  !corpus.has_wikitext || place === PROSE || place === 'caption';

/** What links are compared with. */
export const allLinks = ({ has_wikitext }: Corpus): string => (has_wikitext ? 'this wiki’s links' : 'this corpus’s links');

/** How odd a link is: odder than 99.2% of this wiki’s links. */
export const oddity = (corpus: Corpus, odderThan: number | null | undefined): string =>
  odderThan == null ? 'no score' : `odder than ${percentile(odderThan)} of ${allLinks(corpus)}`;
