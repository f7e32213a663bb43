/**
 * Whether a body counts as binary. Recorded: of an Accept header only the first type counts, and it must be listed in
 * BinaryMediaTypes by that very name. The wildcard for all types takes in everything, a missing header too.
 */
export function isBinary(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  if (binaryMediaTypes.includes("*/*")) return true;
  return header !== undefined && binaryMediaTypes.includes(mediaType(header));
}

/** The first media type of a Content-Type or Accept header, without parameters. */
export function mediaType(header: string): string {
  return (header.split(/[,;]/, 1)[0] ?? "").trim().toLowerCase();
}
