type HostAnswer = { result?: unknown; error?: { code: number; message: string } };

const sent = (method: string, body: object): RequestInit => ({
  method,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

/** Sends a host one request, and returns the response unchanged. */
export async function askOne(url: string, method: string, ...params: unknown[]): Promise<HostAnswer> {
  const response = await fetch(url, sent("POST", { jsonrpc: "2.0", id: 1, method, params }));
  return (await response.json()) as HostAnswer;
}

/** Sets the faults of a local host or relay. */
export async function setFaults(url: string, faults: object): Promise<void> {
  const answer = await fetch(`${url}/_local/faults`, sent("PUT", faults));
  if (!answer.ok) throw new Error(`${url} answers ${answer.status} to its faults: ${await answer.text()}`);
}
