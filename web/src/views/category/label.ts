// Names as short lines of text. Widths are estimated, so that the same names give the same picture everywhere.

const LINES = 3;

/** The width of a text in units of the font size. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (code >= 0x2e80) width += 1;
    else if ("iljtfrI.,:;'|!()[] ".includes(letter)) width += 0.33;
    else if ('mwMW@'.includes(letter)) width += 0.86;
    else width += 0.56;
  }
  return width;
}

/** At most three lines of at most `most` times the font size; what does not fit ends in an ellipsis. */
export function wrap(name: string, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  // A name can be much longer than a label; the rest of it need not be measured.
  for (const word of name.slice(0, 200).split(/\s+/u)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > most) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  lines.push(line);
  const cut = lines.length > LINES || name.length > 200;
  const kept = lines.slice(0, LINES);
  return kept.map((text, place) => shorten(text, most, cut && place === kept.length - 1));
}

function shorten(text: string, most: number, always: boolean): string {
  if (!always && widthOf(text) <= most) return text;
  let short = '';
  for (const letter of text) {
    if (widthOf(short + letter) > most - 0.8) break;
    short += letter;
  }
  // Between words where that leaves some.
  const end = short.lastIndexOf(' ');
  return `${end > 0 ? short.slice(0, end) : short}…`;
}
