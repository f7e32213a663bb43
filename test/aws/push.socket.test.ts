import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it, vi } from "vitest";
import { isRefusal, openPusher, push, pushTo } from "../../lib/aws/push.ts";
import { connectionsApiForTests } from "../support/connections-api.ts";

const api = connectionsApiForTests();

const deliveryTo = (connectionId: string, ...messages: string[]) => ({
  to: connectionId,
  connectionId,
  messages: messages.length > 0 ? messages : ["hello"],
});

const outcome = { gone: [], missed: [], unfinished: [] };

const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

describe("push", () => {
  it("sends each connection its messages in order, whatever characters its id contains", async () => {
    const { current } = api;
    const arrived: string[] = [];
    // The first message takes longest, so a push that does not wait for it breaks the order.
    current.answer = async ({ connectionId, message }) => {
      if (message === "1") await pause(10);
      arrived.push(`${connectionId} ${message}`);
      return 200;
    };
    const connections = [...names(20), "TXzPWdnOjoECGjA=", "a/b?c#d ü"];
    const { reached, ...rest } = await push(
      current.pusher,
      connections.map((connection) => deliveryTo(connection, "1", "2", "3")),
    );
    expect(reached.toSorted()).toEqual(connections.toSorted());
    expect(rest).toEqual(outcome);
    for (const connection of connections) {
      const own = arrived.filter((text) => text.startsWith(`${connection} `));
      expect(own).toEqual(["1", "2", "3"].map((message) => `${connection} ${message}`));
    }
  });

  it("sends text in any language, up to the largest message", async () => {
    const messages = ["Zürich 東京 🚀", "x".repeat(128 * 1024)];
    await push(api.current.pusher, [deliveryTo("c1", ...messages)]);
    expect(api.current.messagesTo("c1")).toEqual(messages);
  });

  it("reports closed connections and stops sending to them", async () => {
    api.current.answer = ({ connectionId, message }) =>
      connectionId === "c2" && message === "2" ? 410 : 200;
    const deliveries = ["c1", "c2", "c3"].map((connection) => deliveryTo(connection, "1", "2", "3"));
    const { reached, ...rest } = await push(api.current.pusher, deliveries);
    expect(reached.toSorted()).toEqual(["c1", "c3"]);
    expect(rest).toEqual({ ...outcome, gone: ["c2"] });
    expect(api.current.messagesTo("c2")).toEqual(["1", "2"]);
    expect(api.current.messagesTo("c3")).toEqual(["1", "2", "3"]);
  });

  it("throws if the source of deliveries fails, after finishing those already started", async () => {
    async function* broken() {
      yield deliveryTo("c1");
      yield deliveryTo("c2");
      throw new Error("no more");
    }
    await expect(push(api.current.pusher, broken())).rejects.toThrow("no more");
    expect(api.current.calls.map(({ connectionId }) => connectionId).sort()).toEqual(["c1", "c2"]);
  });

  it("sends up to 64 messages at a time, over sockets that stay open", async () => {
    const { current } = api;
    const deliveries = names(200).map((connection) => deliveryTo(connection));
    const { promise: full, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    current.answer = async () => {
      if (++waiting === 64) setImmediate(resolve);
      await full;
      return 200;
    };
    await push(current.pusher, deliveries);
    expect(current.calls).toHaveLength(200);
    expect(current.mostAtOnce).toBe(64);
    const socketsOfAll = current.sockets;
    expect(socketsOfAll).toBeLessThanOrEqual(64);
    await push(current.pusher, deliveries);
    expect(current.sockets).toBe(socketsOfAll);
  });

  it("retries a failed connection after all others, starting with the failed message", async () => {
    const { current } = api;
    const answers = [200, 429, 429, 200, 200];
    current.answer = ({ connectionId }) => (connectionId === "c0" ? (answers.shift() ?? 200) : 200);
    const deliveries = names(150).map((connection) => deliveryTo(connection, "1", "2", "3"));
    const { reached, ...rest } = await push(current.pusher, deliveries);
    expect(reached).toHaveLength(150);
    expect(rest).toEqual(outcome);
    expect(current.messagesTo("c0")).toEqual(["1", "2", "2", "2", "3"]);
    expect(current.calls).toHaveLength(149 * 3 + 5);
    const ends = current.calls.slice(-3).map(({ connectionId, message }) => [connectionId, message]);
    expect(ends).toEqual([
      ["c0", "2"],
      ["c0", "2"],
      ["c0", "3"],
    ]);
  });

  it("gives up on a connection after three rounds, once all others are served", async () => {
    const { current } = api;
    const failing: Record<string, number> = { c0: 429, c1: 500 };
    current.answer = ({ connectionId }) => failing[connectionId] ?? (connectionId === "c2" ? 410 : 200);
    const { reached, gone, missed } = await push(
      current.pusher,
      names(10).map((connection) => deliveryTo(connection, "1", "2")),
    );
    expect(reached).toHaveLength(7);
    expect(gone).toEqual(["c2"]);
    expect(missed.map(({ to, error }) => [to, isRefusal(error)]).sort()).toEqual([
      ["c0", true],
      ["c1", false],
    ]);
    expect(current.messagesTo("c0")).toEqual(["1", "1", "1"]);
    const servedLast = current.calls.findLastIndex(({ connectionId }) => !(connectionId in failing));
    const retriedFirst = current.calls.findIndex(
      ({ connectionId }, index) =>
        connectionId in failing &&
        current.calls.findIndex((call) => call.connectionId === connectionId) < index,
    );
    expect(servedLast).toBeLessThan(retriedFirst);
  });

  it("reports the name and request id of each connection's last error", async () => {
    api.current.answer = () => 403;
    const { missed } = await push(api.current.pusher, [deliveryTo("c0")], { rounds: 1 });
    expect(missed).toMatchObject([
      { to: "c0", error: { name: "ForbiddenException", $metadata: { requestId: "r403" } } },
    ]);
  });

  it("makes a single attempt with `rounds: 1`", async () => {
    api.current.answer = () => 500;
    const { missed } = await push(
      api.current.pusher,
      names(3).map((name) => deliveryTo(name)),
      { rounds: 1 },
    );
    expect(missed).toHaveLength(3);
    expect(api.current.calls).toHaveLength(3);
  });

  it("starts no push after the deadline, and reports the connections that it did not serve", async () => {
    const { current } = api;
    const deadline = new Date(Date.now() + 60_000);
    const clock = vi.spyOn(Date, "now");
    current.answer = ({ message }) => {
      // The deadline passes while the first 64 messages are on their way.
      if (current.calls.length === 64) clock.mockReturnValue(deadline.getTime());
      return message === "1" ? 200 : 500;
    };
    const short = names(20).map((connection) => deliveryTo(connection, "1"));
    const long = names(200).map((connection) => deliveryTo(`long-${connection}`, "1", "2"));
    const result = await push(current.pusher, [...short, ...long], { deadline });
    clock.mockRestore();
    expect(result).toMatchObject({ gone: [], missed: [] });
    expect(result.reached.toSorted()).toEqual(names(20).toSorted());
    expect(result.unfinished.toSorted()).toEqual(long.map(({ to }) => to).toSorted());
    expect(current.calls.length).toBeLessThan(64 + 20 + 2);
  });

  it("starts no further round after the deadline", async () => {
    api.current.answer = () => 500;
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    // The pause before the second round outlasts the deadline.
    const { missed } = await push(api.current.pusher, [deliveryTo("c0")], { deadline: new Date(now + 150) });
    clock.mockRestore();
    expect(missed).toHaveLength(1);
    expect(api.current.calls).toHaveLength(1);
  });
});

describe("pushTo", () => {
  it("sends one connection its messages in order", async () => {
    await pushTo(api.current.pusher, "c1", ["1", "2"]);
    expect(api.current.messagesTo("c1")).toEqual(["1", "2"]);
  });

  it("ignores that a connection has closed", async () => {
    api.current.answer = () => 410;
    await expect(pushTo(api.current.pusher, "c1", ["1", "2"])).resolves.toBeUndefined();
  });

  it("throws if the service is unreachable", async () => {
    const pusher = openPusher({
      endpoint: `http://127.0.0.1:${await freePort()}`,
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    });
    await expect(pushTo(pusher, "c1", ["secret"])).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
