import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { allow, type GivenEvent, guarded, route, talking, throws } from "./fixture.ts";
import { dial, eventually, handshake, join, refusal, serve } from "./stream.ts";

const resources = [...guarded(), ...route("$disconnect")];
const answers = { authorize: allow({ plan: "Pro" }) };

/** Lists codes and reasons from the events of $disconnect. */
const endsOf = (events: Record<string, GivenEvent[]>) =>
  (events.disconnect ?? []).map(({ requestContext }) => [
    requestContext.disconnectStatusCode,
    requestContext.disconnectReason,
  ]);

describe("$disconnect", () => {
  it("passes certain headers to the disconnect function (recorded)", async () => {
    const { url, port, events } = await serve(resources, answers);
    const { socket } = await join(url);
    socket.close(1000, "enough");
    await eventually(() => events.disconnect).toHaveLength(1);
    const [event] = events.disconnect ?? [];
    const Host = `127.0.0.1:${port}`;
    expect(event).toStrictEqual({
      headers: { Host, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": "" },
      multiValueHeaders: { Host: [Host], "x-api-key": [""], "X-Forwarded-For": [""], "x-restapi": [""] },
      requestContext: {
        ...events.connect?.[0]?.requestContext,
        routeKey: "$disconnect",
        eventType: "DISCONNECT",
        disconnectStatusCode: 1000,
        disconnectReason: "enough",
        requestId: expect.any(String),
        extendedRequestId: event?.requestContext.requestId,
        requestTime: expect.any(String),
        requestTimeEpoch: expect.any(Number),
      },
      isBase64Encoded: false,
    });
    expect(event?.requestContext.authorizer).toMatchObject({ principalId: "alice", plan: "Pro" });
    expect(event?.requestContext.requestId).not.toBe(events.connect?.[0]?.requestContext.requestId);
  });

  it("reports 1005 for a client that closes without a code (recorded)", async () => {
    const { url, events } = await serve(resources, answers);
    const { socket } = await join(url);
    socket.close();
    await eventually(() => endsOf(events)).toEqual([[1005, "Client-side close frame status not set"]]);
  });

  it("reports 1006 for a client that vanishes", async () => {
    const { url, port, events, server } = await serve(resources, answers);
    const { socket } = await join(url);
    socket.terminate();
    await eventually(() => endsOf(events)).toEqual([[1006, ""]]);

    const bare = await dial(port);
    bare.write(handshake());
    await once(bare, "data");
    const { connectionId = "" } = events.connect?.[1]?.requestContext ?? {};
    expect(server.find(connectionId)).toBeDefined();
    bare.resetAndDestroy();
    await eventually(() => endsOf(events)).toEqual([
      [1006, ""],
      [1006, ""],
    ]);
    expect(server.find(connectionId)).toBeUndefined();
  });

  it("reports 1002 for a client that breaks the protocol", async () => {
    const { port, events } = await serve(resources, answers);
    const bare = await dial(port);
    bare.write(handshake());
    await once(bare, "data");
    bare.write("GET / HTTP/1.1\r\n\r\n");
    await eventually(() => endsOf(events)).toEqual([[1002, ""]]);
  });

  it("reports 1006 for a client that leaves while $connect runs", async () => {
    const slow = Promise.withResolvers<object>();
    const { port, events, server } = await serve(resources, { ...answers, connect: () => slow.promise });
    const bare = await dial(port);
    bare.write(handshake());
    await eventually(() => events.connect).toHaveLength(1);
    bare.resetAndDestroy();
    // Waits for an answer, which shows that the server has noticed the disconnection.
    expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(426);
    slow.resolve({ statusCode: 200 });
    await eventually(() => endsOf(events)).toContainEqual([1006, ""]);
    const { connectionId = "" } = events.connect?.[0]?.requestContext ?? {};
    expect(server.find(connectionId)).toBeUndefined();
  });

  it("invokes no disconnect function for a refused client", async () => {
    const { url, events } = await serve([...route("$connect"), ...route("$disconnect")], {
      connect: ({ headers }: GivenEvent) => ({ statusCode: headers["X-In"] ? 200 : 400 }),
    });
    await refusal(url);
    const { socket } = await join(url, [], { headers: { "X-In": "1" } });
    socket.close(1000, "");
    await eventually(() => endsOf(events)).toEqual([[1000, ""]]);
  });

  it("keeps other connections open when the disconnect function fails", async () => {
    const { url, reports } = await serve([...route("$disconnect"), ...talking("$default")], {
      disconnect: throws("boom"),
      default: { body: "here" },
    });
    const [first, second] = [await join(url), await join(url)];
    first.socket.close();
    await eventually(() => reports).toEqual(["$disconnect: the function failed"]);
    second.socket.send("?");
    await eventually(() => second.messages).toEqual(["here"]);
  });
});

describe("close", () => {
  it("closes every connection with 1001 and invokes $disconnect", async () => {
    const { url, events, server } = await serve(resources, answers);
    const clients = await Promise.all(Array.from({ length: 5 }, () => join(url)));
    await server.close();
    for (const { closed } of clients) expect(await closed).toEqual({ code: 1001, reason: "Going away" });
    expect(endsOf(events)).toEqual(Array(5).fill([1001, "Going away"]));
    await expect(join(url)).rejects.toThrow("ECONNREFUSED");
  });

  it("stops without waiting for silent clients or functions", async () => {
    const { url, port, events, server } = await serve(resources, {
      ...answers,
      connect: ({ headers }: GivenEvent) => (headers["X-Slow"] ? new Promise(() => {}) : { statusCode: 200 }),
      disconnect: () => new Promise(() => {}),
    });
    await join(url);
    const [deaf, half, waiting] = [await dial(port), await dial(port), await dial(port)];
    deaf.write(handshake());
    await once(deaf, "data");
    deaf.pause();
    half.write(handshake().slice(0, 60));
    waiting.write(handshake({ "X-Slow": "1" }));
    await eventually(() => events.connect).toHaveLength(3);
    const ends = Promise.all(
      [half, waiting].map((socket) =>
        once(
          socket.resume().on("error", () => {}),
          "close",
        ),
      ),
    );
    await server.close();
    await ends;
  });
});
