// The figures of an evaluation's report, found in its document.

import { request } from '../../api/client';

export interface ReportFigure {
  /** The address of the file. */
  source: string;
  caption: string;
}

export function reportAddress(corpus: string, file = 'index.html'): string {
  return `/report/${encodeURIComponent(corpus)}/${file}`;
}

/** The figures that the report of a corpus has files of. */
export async function reportFigures(corpus: string, signal: AbortSignal): Promise<ReportFigure[]> {
  const response = await request(reportAddress(corpus), {}, { signal });
  // Parsed only: nothing of the document is shown but the text of captions and the files of figures. Its styles would
  // be refused by the policy of this page.
  const text = (await response.text()).replaceAll(/<style[^>]*>.*?<\/style>/gsu, '');
  const report = new DOMParser().parseFromString(text, 'text/html');
  return [...report.querySelectorAll('figure')].flatMap((figure) => {
    const file = [...figure.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '').find(isFigure);
    if (file === undefined) return [];
    return [{ source: reportAddress(corpus, file), caption: figure.querySelector('figcaption')?.textContent ?? '' }];
  });
}

function isFigure(path: string): boolean {
  return /^figures\/[\w-]+\.svg$/u.test(path);
}
