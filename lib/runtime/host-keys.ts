import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import {
  type HostKeys,
  keyCharacters,
  keyNames,
  type ToKeyedText,
  withKeys,
} from "../chains/hosts/keyed-text.ts";
import { ServiceError } from "../core/service-error.ts";

/** The form of the SSM parameter. */
export const StoredHostKeys = v.pipe(
  v.string(),
  v.parseJson(),
  // Rejects lists, which valibot accepts as objects.
  v.check((keys) => !Array.isArray(keys)),
  v.record(v.pipe(v.string(), v.regex(keyNames)), v.pipe(v.string(), v.regex(keyCharacters))),
);

/** Time for which keys are used before they are read again, so that containers soon use replaced keys. */
const freshMs = 10 * 60_000;

/** Time limits of one attempt, so that a request whose keys must be read first still answers in time. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true };

/** Pauses after a failed read: so long that containers with keys do not keep SSM throttled, or short without keys. */
const pauseMs = () => 30_000 + Math.random() * 30_000;
const pauseWithoutKeysMs = 1000;

/**
 * Fills the keys of an SSM parameter into texts that name them. Reads the parameter at once, while the function loads
 * everything else, and again every ten minutes. While SSM does not answer, the last keys remain in use.
 *
 * @param parameter Name of the parameter. Empty if no text names a key.
 * @param onFault Receives the reason of each failed read. It contains no key.
 */
export function openHostKeys(parameter: string, onFault: (error: unknown) => void): ToKeyedText {
  if (parameter === "") return (text) => text;
  const client = new SSMClient({ maxAttempts: 2, requestHandler });
  let known: { keys: HostKeys; readMs: number } | undefined;
  let failed: { error: unknown; untilMs: number } | undefined;
  let reading: Promise<HostKeys> | undefined;

  async function read(): Promise<HostKeys> {
    try {
      const keys = await readHostKeys(client, parameter);
      known = { keys, readMs: Date.now() };
      return keys;
    } catch (error) {
      failed = { error, untilMs: Date.now() + (known ? pauseMs() : pauseWithoutKeysMs) };
      onFault(error);
      throw error;
    } finally {
      reading = undefined;
    }
  }

  async function latest(): Promise<HostKeys> {
    if (failed !== undefined && Date.now() < failed.untilMs) throw failed.error;
    reading ??= read();
    return reading;
  }

  async function keys(): Promise<HostKeys> {
    if (known === undefined) return latest();
    const ageMs = Date.now() - known.readMs;
    if (ageMs < freshMs) return known.keys;
    const { keys: last } = known;
    const newest = latest().catch(() => last);
    // Waits only if the container has long been idle, because its keys may have been replaced and revoked since.
    return ageMs < 2 * freshMs ? last : newest;
  }

  keys().catch(() => {});
  return withKeys(keys);
}

/** @throws {ServiceError} if the parameter does not hold keys. The error quotes nothing of it. */
export async function readHostKeys(client: Pick<SSMClient, "send">, parameter: string): Promise<HostKeys> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter, WithDecryption: true }));
  const read = v.safeParse(StoredHostKeys, Parameter?.Value);
  if (!read.success)
    throw new ServiceError("The parameter with the keys of hosts is malformed", { code: "BAD_HOST_KEYS" });
  return read.output;
}
