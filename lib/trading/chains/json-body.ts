import { BatchRefused, batchWords, HostFault } from "./host-fault.ts";

type Limits = { methods: string; maxBytes: number; signal: AbortSignal };

/**
 * Posts JSON and reads the JSON response. Stops reading at the limits, whatever length the server declares.
 *
 * @throws {HostFault}
 */
export async function readJsonBody(url: string, body: unknown, limits: Limits): Promise<unknown> {
  const { methods, maxBytes, signal } = limits;
  const text = await post(url, body, maxBytes, methods, signal).catch((error: unknown) => {
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

/** Error codes of `fetch` when there was no connection, so nothing was sent. */
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

/** Words about the reason of a refusal come early. */
const mostRefusalBytes = 4096;

/** Statuses of requests that are too long, or that a host does not understand. */
const lengthStatuses = [400, 413];

async function refusalOf(response: Response, body: unknown, methods: string): Promise<HostFault> {
  const text = (await readText(response, mostRefusalBytes).catch(() => undefined)) ?? "";
  const isOfBatch = lengthStatuses.includes(response.status) || batchWords.test(text);
  if (Array.isArray(body) && isOfBatch)
    return new BatchRefused(
      body.map(({ method }) => method),
      text,
    );
  return new HostFault(response.status === 429 ? "TOO_MANY_REQUESTS" : "BAD_STATUS", methods);
}

async function post(url: string, body: unknown, maxBytes: number, methods: string, signal: AbortSignal) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal,
  });
  if (!response.ok) throw await refusalOf(response, body, methods);
  const text = await readText(response, maxBytes);
  if (text === undefined) throw new HostFault("TOO_LARGE", methods);
  return text;
}

/** Reads a body of at most so many bytes. Leaving the loop early cancels the rest of the response. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
