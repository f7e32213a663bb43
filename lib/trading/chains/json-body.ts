import { type FaultReason, HostFault } from "./host-fault.ts";

type Limits = { methods: string; maxBytes: number; signal: AbortSignal };

/**
 * Posts JSON and reads the JSON response. Stops reading at the limits, whatever length the server declares.
 *
 * @throws {HostFault}
 */
export async function readJsonBody(url: string, body: unknown, limits: Limits): Promise<unknown> {
  const { methods, maxBytes, signal } = limits;
  const text = await post(url, JSON.stringify(body), maxBytes, methods, signal).catch((error: unknown) => {
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

const reasonByStatus: Readonly<Record<number, FaultReason>> = {
  400: "BAD_REQUEST",
  413: "BAD_REQUEST",
  429: "TOO_MANY_REQUESTS",
};

async function post(url: string, body: string, maxBytes: number, methods: string, signal: AbortSignal) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body,
    redirect: "error",
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new HostFault(reasonByStatus[response.status] ?? "BAD_STATUS", methods);
  }
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop early cancels the rest of the response.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new HostFault("TOO_LARGE", methods);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
