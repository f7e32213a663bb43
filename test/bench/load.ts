import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import { now, type Spread, spreadOf } from "./statistics.ts";

/** A request of the load, and its answer if the status is 200. */
export type Call = { method: string; url: string; headers: Record<string, string>; body?: object };

/** `perSecond` and `latency`, in milliseconds, are those of answers. `used` is the processor time of a server. */
export type LoadFigures = { calls: number; perSecond: number; latency: Spread; used: ProcessorTime };

export type Load = { serverPid: number; atOnce: number; seconds: number };

/**
 * Sends a call, with less work than `fetch`, whose own time would hide that of fast servers.
 *
 * @param agent Keeps connections. Without it, the call has a connection of its own.
 * @throws if the answer is not a 200.
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

/** Calls of each client before the measured ones, which start processes and compile code. */
const callsToWarmUp = 10;

/** Lets clients send calls for a while, each one after another. */
export async function underLoad(
  nextCall: () => Call,
  { serverPid, atOnce, seconds }: Load,
): Promise<LoadFigures> {
  // Opens connections for each load, because servers close idle ones.
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
