import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { afterAll, expect, it } from "vitest";
import { allowedAddresses, findBy, isPublicAddress } from "../../lib/devices/public-address.ts";

/** Records of type A by name. The server never answers about other names, and has no records of other types. */
const addresses: Readonly<Record<string, readonly number[]>> = {
  "good.example": [8, 8, 8, 8],
  "metadata.example": [169, 254, 169, 254],
};

const typeA = 1;

/** Answers a question of DNS (RFC 1035): a header of 12 bytes, the labels of the name, and four bytes of type and class. */
function answerTo(question: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const found = addresses[labels.join(".").toLowerCase()];
  if (found === undefined) return undefined;
  const isAsked = question.readUInt16BE(at + 1) === typeA;
  const header = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isAsked ? 1 : 0, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...found]);
  return Buffer.concat([header, question.subarray(12, at + 5), ...(isAsked ? [record] : [])]);
}

const server = createSocket("udp4", (question, { port, address }) => {
  const answer = answerTo(question);
  if (answer) server.send(answer, port, address);
});
await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
afterAll(() => server.close());

const resolver = new Resolver({ timeout: 100, tries: 2 });
resolver.setServers([`127.0.0.1:${server.address().port}`]);
const found = (host: string) => allowedAddresses(host, isPublicAddress, findBy(resolver));

it("finds a host at once beside many whose name servers never answer, and gives these up", async () => {
  const order: string[] = [];
  const silent = Array.from({ length: 50 }, (_, index) =>
    found(`silent-${index}.example`).catch(({ code }) => order.push(code)),
  );
  expect(await found("good.example")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  expect(order).toEqual([]);
  await Promise.all(silent);
  expect(order).toEqual(Array.from({ length: 50 }, () => "NOT_PUBLIC"));
});

it("refuses a host whose name server names a private address", async () => {
  await expect(found("metadata.example")).rejects.toMatchObject({ code: "NOT_PUBLIC" });
});
