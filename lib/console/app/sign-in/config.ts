/** Where and how the page signs users in. */
export type SignInConfig = {
  /** Identifier of the issuer, below which its discovery document is. */
  issuer: string;
  clientId: string;
  /** Scopes to ask for, separated by spaces. */
  scope: string;
  /** API for which to request tokens, for issuers that serve several APIs. */
  audience?: string;
};

/** Other sites to which the page links. */
export type Links = { docs?: string; explorers?: Readonly<Record<string, string>> };

/** The content of config.json next to the page. */
export type PageConfig = SignInConfig & Links;

/** A sign-in that failed. The message is a sentence for the user. */
export class SignInError extends Error {
  readonly reason: "unreachable" | "refused" | "over" | "otherUser" | "misconfigured";

  constructor(reason: SignInError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const wrong = (problem: string) =>
  new SignInError("misconfigured", `This page is set up wrongly: ${problem}. Tell its operator.`);

/** @throws {SignInError} that names the wrong field */
export function checkConfig(value: unknown): PageConfig {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong("config.json must be an object");
  const fields = value as Record<string, unknown>;
  const { issuer, clientId, scope, audience, docs, explorers = {}, ...others } = fields;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`config.json has the unknown field ${unknown}`);
  const text = (name: string, field: unknown): string => {
    if (typeof field !== "string" || !/\S/.test(field)) throw wrong(`${name} in config.json must be text`);
    return field;
  };
  if (!isSafe(text("issuer", issuer))) throw wrong("issuer in config.json must be an https URL");
  if (!text("scope", scope).split(" ").includes("openid"))
    throw wrong("scope in config.json must contain openid");
  text("clientId", clientId);
  if (audience !== undefined) text("audience", audience);
  if (docs !== undefined && !isLink(text("docs", docs)))
    throw wrong("docs in config.json must be a URL or a path");
  if (typeof explorers !== "object" || explorers === null)
    throw wrong("explorers in config.json must be an object");
  for (const [network, site] of Object.entries(explorers))
    if (!isLink(text(`explorers.${network}`, site)))
      throw wrong(`explorers.${network} in config.json must be a URL`);
  return fields as PageConfig;
}

/** Allows HTTP only on this machine, because anybody on the network path could take the tokens. */
function isSafe(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.search !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
}

/** Allows no other scheme, because a script would run on this page. */
const isLink = (text: string) => /^(https?:\/\/|\/)[^\s/]/.test(text);

const isThisMachine = (host: string) => /^(127\.0\.0\.1|\[::1\]|([a-z\d-]+\.)*localhost)$/.test(host);

/** @throws {SignInError} */
export async function readConfig(url: string): Promise<PageConfig> {
  const answer = await fetch(url, { cache: "no-store" }).catch(() => undefined);
  if (answer === undefined || answer.status >= 500)
    throw new SignInError("unreachable", "The service does not answer. Check your connection.");
  if (!answer.ok) throw wrong("config.json is missing");
  return checkConfig(await answer.json().catch(() => undefined));
}
