// The picture as a file of its own: colours are resolved, links and controls are left out.

const COPIED = ['fill', 'stroke', 'stroke-width', 'opacity', 'font-size', 'font-weight', 'text-anchor', 'paint-order'];
const FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif";
const SVG = 'http://www.w3.org/2000/svg';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The text of an SVG file with what `picture` shows inside the box, on a background of this colour. */
export function svgFile(picture: SVGGElement, box: Box, background: string, title: string): string {
  const margin = 24;
  const root = document.createElementNS(SVG, 'svg');
  const [x, y] = [box.x - margin, box.y - margin].map(Math.floor);
  const [width, height] = [box.width + 2 * margin, box.height + 2 * margin].map(Math.ceil);
  root.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  root.setAttribute('font-family', FONTS);
  const name = document.createElementNS(SVG, 'title');
  name.textContent = title;
  const paper = document.createElementNS(SVG, 'rect');
  for (const [key, value] of Object.entries({ x, y, width, height, fill: background })) {
    paper.setAttribute(key, String(value));
  }
  root.append(name, paper, ...[...picture.children].filter(isDrawn).map(plain));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

/** Whether an element is part of the picture: what only catches the pointer is not. */
function isDrawn(element: Element): boolean {
  return !element.classList.contains('hit');
}

/** A copy of an element with its colours and sizes as attributes; a link becomes a group. */
function plain(element: Element): Element {
  const name = element.localName === 'a' ? 'g' : element.localName;
  const copy = document.createElementNS(SVG, name);
  for (const key of ['d', 'x', 'y', 'rx', 'width', 'height', 'transform', 'stroke-linejoin']) {
    const value = element.getAttribute(key);
    if (value !== null) copy.setAttribute(key, value);
  }
  if (['path', 'rect', 'text'].includes(name)) {
    const style = getComputedStyle(element);
    for (const key of COPIED) copy.setAttribute(key, style.getPropertyValue(key));
  }
  if (element.children.length === 0) copy.textContent = element.textContent?.trim() ?? '';
  else copy.append(...[...element.children].filter(isDrawn).map(plain));
  return copy;
}
