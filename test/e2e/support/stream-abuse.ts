import type { Secrets } from "./abuse.ts";
import type { Answer } from "./client.ts";
import { connect, type Handshake, refusalOf, type Stream } from "./stream.ts";

/** What was told to clients: how they were refused, and what they were sent. */
export type Told = { refusals: Answer[]; messages: string[] };

/** Puts secrets into handshakes and messages wherever something can stand. */
export async function abuseStreams({ keys, badKeys, words, goodToken, badTokens }: Secrets): Promise<Told> {
  const refusals = await Promise.all(
    [...withToken(goodToken), ...badTokens.flatMap(withBadToken)].map(refusalOf),
  );
  const streams = await Promise.all(withGoodToken(goodToken).map(connect));
  const [stream] = streams as [Stream];
  const secrets = [...keys.map(({ privateKey }) => privateKey), ...badKeys, ...words];
  for (const secret of secrets) {
    for (const message of messagesWith(secret)) stream.send(message);
    // Its answer ought to repeat the secret, so it goes where nobody looks.
    const elsewhere = await connect({ token: goodToken });
    await elsewhere.ask({ type: "ping", id: secret.slice(0, 64) });
    elsewhere.send(Buffer.from(secret));
    await elsewhere.closed;
  }
  for (const _ of secrets.flatMap(messagesWith)) await stream.take({ type: "error" });
  return {
    refusals,
    messages: streams.flatMap(({ received }) => received.map((each) => JSON.stringify(each))),
  };
}

/** Handshakes that are refused although the token may be good. */
const withToken = (token: string): Handshake[] => [
  { query: `?access_token=${token}` },
  { headers: { Authorization: `Basic ${token}` } },
  { headers: { Cookie: `access_token=${token}`, Origin: `https://${token.slice(-20)}.example` } },
];

const withGoodToken = (token: string): Handshake[] => [
  { token },
  { headers: { Cookie: `access_token=${token}` } },
  { subprotocols: ["access_token", token] },
  { token, query: `?access_token=${token}` },
];

const withBadToken = (token: string): Handshake[] => [...withToken(token), ...withGoodToken(token)];

/** Every one of them is answered by an error that does not say what it is about. */
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
