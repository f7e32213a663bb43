/** Where and how the page signs users in, as config.json beside the page says. */
export type SignInConfig = {
  /** Identifier of the issuer, below which its discovery document is. */
  issuer: string;
  clientId: string;
  /** Scopes to ask for, separated by spaces. */
  scope: string;
  /** API whose tokens to ask for, at issuers that serve several. */
  audience?: string;
};

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
export function checkConfig(value: unknown): SignInConfig {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong("config.json must be an object");
  const fields = value as Record<string, unknown>;
  const { issuer, clientId, scope, audience, ...others } = fields;
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
  return fields as SignInConfig;
}

/** Allows HTTP only on this machine, because anybody on the way could take the tokens. */
function isSafe(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url === null || url.search !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
}

const isThisMachine = (host: string) => /^(127\.0\.0\.1|\[::1\]|([a-z\d-]+\.)*localhost)$/.test(host);

/** @throws {SignInError} */
export async function readConfig(url: string): Promise<SignInConfig> {
  const answer = await fetch(url, { cache: "no-store" }).catch(() => undefined);
  if (answer === undefined || answer.status >= 500)
    throw new SignInError("unreachable", "The service does not answer. Check your connection.");
  if (!answer.ok) throw wrong("config.json is missing");
  return checkConfig(await answer.json().catch(() => undefined));
}
