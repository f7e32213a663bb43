/** Lists origins that resemble the allowed one but differ from it, the most obvious first. */
export function foreignOrigins(allowed: string | undefined): string[] {
  if (allowed === undefined) return ["https://evil.example", "null"];
  const { protocol, hostname, host } = new URL(allowed);
  return [
    "https://evil.example",
    "null",
    ...[`${protocol}//${hostname}`, `${allowed}0`].filter((origin) => origin !== allowed),
    `${allowed}.evil.example`,
    `${protocol === "https:" ? "http:" : "https:"}//${host}`,
    `http://evil.example/${allowed}`,
    allowed.toUpperCase(),
  ];
}
