/** Lets the browser save a text as a file. */
export function saveFile(name: string, text: string, type: string): void {
  const file = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href: file, download: name }).click();
  // Safari reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}
