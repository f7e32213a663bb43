import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import { now, type Spread, spreadOf } from "./statistics.ts";

/** A request to send, and, if it succeeded with status 200, its response. */
export type Call = { method: string; url: string; headers: Record<string, string>; body?: object };

/** `perSecond` counts responses, `latency` is in milliseconds, and `used` is the server's processor time. */
export type LoadFigures = { calls: number; perSecond: number; latency: Spread; used: ProcessorTime };

export type Load = { serverPid: number; atOnce: number; seconds: number };

/**
 * Sends a request with less overhead than `fetch`, which would hide how fast a server is.
 *
 * @param agent Reuses connections. Without it, each call opens its own.
 * @throws if the status is not 200.
 */
export function send<Answer>(
  { method, url, headers, body }: Call,
  agent: Agent | false = false,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const text = body === undefined ? "" : JSON.stringify(body);
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(text) };
  const sent = request(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
    buffer(response).then((bytes) => {
      if (response.statusCode === 200) resolve(JSON.parse(bytes.toString()));
      else reject(new Error(`${url} answered ${response.statusCode}`));
    }, reject);
  });
  sent.on("error", reject).end(text);
  return promise;
}

/** Warm-up calls of each client, which start processes and compile code before measuring. */
const callsToWarmUp = 10;

/** Makes clients send calls for some time, each client one call after another. */
export async function underLoad(
  nextCall: () => Call,
  { serverPid, atOnce, seconds }: Load,
): Promise<LoadFigures> {
  // Opens new connections for each load, because servers close idle ones.
  const agent = new Agent({ keepAlive: true });
  const latenciesWhile = async (goesOn: () => boolean) => {
    const latencies: number[] = [];
    const client = async () => {
      while (goesOn()) {
        const begun = now();
        await send(nextCall(), agent);
        latencies.push(now() - begun);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    return latencies;
  };
  let left = atOnce * callsToWarmUp;
  await latenciesWhile(() => left-- > 0);
  const [begun, before] = [now(), processorTime(serverPid)];
  const latencies = await latenciesWhile(() => now() - begun < 1000 * seconds);
  const elapsedMs = now() - begun;
  agent.destroy();
  return {
    calls: latencies.length,
    perSecond: (1000 * latencies.length) / elapsedMs,
    latency: spreadOf(latencies),
    used: timeBetween(before, processorTime(serverPid)),
  };
}
