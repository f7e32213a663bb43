import type { Handshake } from "../../cases/handshakes.ts";
import type { Secrets } from "./abuse.ts";
import type { Answer } from "./client.ts";
import { connect, refusalOf } from "./stream.ts";

/** Responses that refused connections, and the number of messages that were answered with an error. */
export type Outcome = { refusals: Answer[]; errors: number };

/** Puts secrets into every part of handshakes and messages. */
export async function abuseStreams({
  keys,
  badKeys,
  words,
  goodToken,
  badTokens,
}: Secrets): Promise<Outcome> {
  const refusals = await Promise.all(
    [...withToken(goodToken), ...badTokens.flatMap(withBadToken)].map(refusalOf),
  );
  await Promise.all(withGoodToken(goodToken).map((each) => connect(each)));
  const secrets = [...keys.map(({ privateKey }) => privateKey), ...badKeys, ...words];
  let errors = 0;
  for (const secret of secrets) {
    // Opens a connection for each message, because messages per connection are limited.
    const stream = await connect({ token: goodToken });
    for (const message of messagesWith(secret)) {
      stream.send(message);
      await stream.take({ type: "error" });
      errors++;
    }
    stream.close();
    // Excludes this reply from the search for secrets, because it repeats the secret on purpose.
    const elsewhere = await connect({ token: goodToken }, false);
    await elsewhere.ask({ type: "ping", id: secret.slice(0, 64) });
    elsewhere.send(Buffer.from(secret));
    await elsewhere.closed;
  }
  return { refusals, errors };
}

/** Handshakes that are refused even with a valid token. */
const withToken = (token: string): Handshake[] => [
  { query: `?access_token=${token}` },
  { headers: { Authorization: `Basic ${token}` } },
  { headers: { Cookie: `__Host-access_token=${token}`, Origin: `https://${token.slice(-20)}.example` } },
];

const withGoodToken = (token: string): Handshake[] => [
  { token },
  { headers: { Cookie: `__Host-access_token=${token}` } },
  { subprotocols: ["access_token", token] },
  { token, query: `?access_token=${token}` },
];

const withBadToken = (token: string): Handshake[] => [...withToken(token), ...withGoodToken(token)];

/** Messages that must be answered with an error that does not quote them. */
const messagesWith = (secret: string): unknown[] => [
  secret,
  `{"type":"${secret}`,
  { type: secret },
  { type: "subscribe", channels: secret },
  { type: "subscribe", channels: [[secret]] },
  { type: "subscribe", channels: [secret + secret] },
  { type: "unsubscribe", channels: [], [secret + secret]: secret },
  { type: "ping", id: [secret] },
  { type: "ping", id: secret.repeat(4) },
];
