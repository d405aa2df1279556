// Handing a text to the reader as a file.

/** Saves a text as a file of this name. */
export function save(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** A name as a file name. */
export function fileName(name: string): string {
  const short = name.normalize('NFKC').replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/gu, '');
  return short.slice(0, 80) || 'file';
}
