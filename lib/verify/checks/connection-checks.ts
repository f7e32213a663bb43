import { connectionsOfUser } from "../../aws/connection-records.ts";
import { byHand, type CheckGroup, eventually, expectSame, expectThat } from "../check.ts";
import type { Run } from "../run.ts";
import { HandshakeRefused, read, type Socket, type SocketOptions } from "../socket.ts";

/** Longer than a cold start. */
const patienceMs = 15_000;

/** More than the most connections that a deployment can allow a user. */
const manyConnections = 101;

/** The WebSocket API. */
export const connectionChecks: CheckGroup<Run> = {
  title: "WebSocket API",
  checks: [
    {
      says: "The authorizer runs without identity sources: it takes a token from the header, the subprotocols or the cookie alone",
      async run(run) {
        const { token } = await run.user();
        await run.connect({ token });
        const { subprotocol } = await run.connect({ subprotocols: ["access_token", token] });
        expectSame("The selected subprotocol", subprotocol, "access_token");
        await run.connect({ headers: { Cookie: `${run.service.cookieName}=${token}` } });
      },
    },
    {
      says: "A connection without a token, or with an invalid one, is refused with a 401",
      async run(run) {
        expectSame("Without a token, the status", await refusalOf(run, {}), 401);
        expectSame("With an invalid token, the status", await refusalOf(run, { token: "invalid" }), 401);
      },
    },
    {
      says: "API Gateway invokes by the exact route, and a route response brings the answer to the client",
      async run(run) {
        const socket = await run.connect(await run.user());
        socket.send({ type: "ping", id: "verify" });
        await socket.message({ type: "pong", id: "verify" }, run.patience(patienceMs));
        socket.send({ type: "nothing", id: "verify" });
        await socket.message({ type: "error", code: "UNKNOWN_TYPE", id: "verify" }, run.patience(patienceMs));
      },
    },
    {
      says: "Functions push to the stage's own endpoint, and no empty message follows what subscribe and unsubscribe push",
      async run(run) {
        const socket = await run.connect(await run.user());
        const channels = ["orders"];
        for (const id of ["first", "second"]) {
          socket.send({ type: "subscribe", id, channels });
          await socket.message({ type: "subscriptions", id, channels }, run.patience(patienceMs));
        }
        await socket.message({ type: "snapshot", channel: "orders" }, run.patience(patienceMs));
        socket.send({ type: "unsubscribe", id: "third", channels });
        await socket.message({ type: "subscriptions", id: "third", channels: [] }, run.patience(patienceMs));
        await expectAnswer(socket, run);
        const odd = socket.received.filter((text) => read(text) === undefined);
        expectSame("The messages that are not JSON", odd, []);
      },
    },
    {
      says: "Later messages and $disconnect carry the user of $connect",
      async run(run) {
        const { service } = run;
        const { token, userID } = await run.user();
        const before = new Set((await connectionsOfUser(service.table, userID)).map(nameOf));
        const socket = await run.connect({ token });
        socket.send({ type: "subscribe", id: "verify", channels: ["positions"] });
        await socket.message({ type: "subscriptions", id: "verify" }, run.patience(patienceMs));
        const made = (await connectionsOfUser(service.table, userID)).find((one) => !before.has(nameOf(one)));
        expectThat(made !== undefined, "The user has no record of the connection");
        socket.close();
        const message = "The record of the connection did not disappear";
        await eventually(message, run.patience(30_000), async () => {
          const left = await connectionsOfUser(service.table, userID);
          return left.some((one) => nameOf(one) === made.connectionID) ? undefined : true;
        });
      },
    },
    {
      says: "At the limit of a user's connections, another one is a 429",
      slow: true,
      async run(run) {
        const user = await run.user();
        const sockets: Socket[] = [];
        try {
          for (let made = 0; made < manyConnections; made++) sockets.push(await run.connect(user));
        } catch (error) {
          expectThat(error instanceof HandshakeRefused, "A connection failed");
          expectSame("The status", error.status, 429);
        } finally {
          for (const socket of sockets) socket.close();
        }
        expectThat(sockets.length < manyConnections, `${manyConnections} connections were admitted`);
      },
    },
    byHand("A stage's throttle of a route drops the messages over it"),
    byHand("connect may look up other connections, and makes room for one that was cut off"),
  ],
};

const nameOf = ({ connectionID }: { connectionID: string }) => connectionID;

async function refusalOf(run: Run, options: SocketOptions): Promise<number> {
  try {
    await run.connect(options);
  } catch (error) {
    if (error instanceof HandshakeRefused) return error.status;
    throw error;
  }
  return 101;
}

/** By its answer, anything that follows earlier answers has come too. */
async function expectAnswer(socket: Socket, run: Run): Promise<void> {
  socket.send({ type: "ping", id: "last" });
  await socket.message({ type: "pong", id: "last" }, run.patience(patienceMs));
}
