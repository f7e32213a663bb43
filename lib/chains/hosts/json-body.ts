import { fetchFromHost } from "./host-connections.ts";
import { BatchRefused, batchWords, HostFault, RequestRefused } from "./host-fault.ts";

type Limits = {
  methods: string;
  maxBytes: number;
  signal: AbortSignal;
  /** Receives the size of each piece of the response. */
  onBytes?: ((bytes: number) => void) | undefined;
};

/**
 * Posts JSON and reads the JSON response. Stops reading at the size limits, whatever length the server declares.
 *
 * @throws {HostFault}
 */
export const readJsonBody = (url: string, body: unknown, limits: Limits): Promise<unknown> =>
  jsonIn(post(url, body, limits), limits);

/**
 * Gets JSON, with the same limits as a post.
 *
 * @throws {HostFault}
 */
export const getJsonBody = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  limits: Limits,
): Promise<unknown> => jsonIn(get(url, headers, limits), limits);

async function jsonIn(body: Promise<string>, { methods, signal }: Limits): Promise<unknown> {
  const text = await body.catch((error: unknown) => {
    if (error instanceof HostFault) throw error;
    throw new HostFault(
      signal.aborted ? "TIMEOUT" : wasUnsent(error) ? "UNREACHABLE" : "BROKEN_OFF",
      methods,
    );
  });
  if (text.trim() === "") throw new HostFault("EMPTY", methods);
  try {
    return JSON.parse(text);
  } catch {
    throw new HostFault("NOT_JSON", methods);
  }
}

/** Error codes of `fetch` if there was no connection, so that nothing was sent. */
const unsent = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const wasUnsent = (error: unknown): boolean =>
  error instanceof Error && unsent.has((error.cause as { code?: string } | undefined)?.code ?? "");

/** Number of bytes of a refusal to read. Hosts give the reason at the beginning. */
const mostRefusalBytes = 4096;

/** Status codes for requests that are too long or that a host does not understand. */
const lengthStatuses = [400, 413];

async function refusalOf(
  response: Response,
  body: unknown,
  methods: string,
  onBytes: Limits["onBytes"],
): Promise<HostFault> {
  const { text } = await readText(response, mostRefusalBytes, onBytes).catch(() => ({ text: "" }));
  const isOfBatch = lengthStatuses.includes(response.status) || batchWords.test(text);
  if (Array.isArray(body) && isOfBatch)
    return new BatchRefused(
      body.map(({ method }) => method),
      text,
    );
  const { status } = response;
  return status === 429
    ? new HostFault("TOO_MANY_REQUESTS", methods, status)
    : new RequestRefused(methods, status, text);
}

async function get(url: URL, headers: Readonly<Record<string, string>>, limits: Limits): Promise<string> {
  const { signal } = limits;
  const response = await fetchFromHost(url, {
    headers: { Accept: "application/json", ...headers },
    redirect: "error",
    signal,
  });
  return textOf(response, undefined, limits);
}

async function post(url: string, body: unknown, limits: Limits): Promise<string> {
  const { signal } = limits;
  const response = await fetchFromHost(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal,
  });
  return textOf(response, body, limits);
}

async function textOf(response: Response, body: unknown, { methods, maxBytes, onBytes }: Limits) {
  if (!response.ok) throw await refusalOf(response, body, methods, onBytes);
  const { text, isWhole } = await readText(response, maxBytes, onBytes);
  if (!isWhole) throw new HostFault("TOO_LARGE", methods);
  return text;
}

/** Reads the first bytes of a body. Ending the loop early cancels the rest of the response. */
async function readText(
  response: Response,
  maxBytes: number,
  onBytes: Limits["onBytes"],
): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    onBytes?.(chunk.length);
    text += decoder.decode(chunk.subarray(0, maxBytes - bytes + chunk.length), { stream: true });
    if (bytes > maxBytes) return { text, isWhole: false };
  }
  return { text: text + decoder.decode(), isWhole: true };
}
