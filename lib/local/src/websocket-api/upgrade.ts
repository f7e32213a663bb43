import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { readRequest, refuseUpgrade } from "../http/exchange.ts";
import { type GatewayRequest, json } from "../http/messages.ts";
import type { Handshake } from "./connect.ts";
import type { StreamLimits } from "./connection.ts";
import type { Peer } from "./events.ts";

export type UpgradeOptions = {
  limits: Pick<StreamLimits, "messageBytes">;
  /** Decides on a well-formed handshake. */
  connect: (request: GatewayRequest) => Promise<Handshake>;
  onOpen: (websocket: WebSocket, peer: Peer) => void;
  /** Hears of a client that went away while it was let in. */
  onLost: (peer: Peer) => void;
  onFault: (error: unknown) => void;
};

type Accepted = Exclude<Handshake, { refusal: unknown }>;

/** How long a client has to agree to the end of its connection. The types of `ws` do not know the option yet. */
const patience = { closeTimeout: 2000 };

export const upgradeRequired = json(
  426,
  { message: "Upgrade Required" },
  ["Upgrade", "websocket"],
  ["Connection", "Upgrade"],
);

/** Takes requests for another protocol through the opening handshake of WebSocket, or answers why not. */
export function createUpgrade({ limits, connect, onOpen, onLost, onFault }: UpgradeOptions) {
  /** Who has been let in and is not connected yet. */
  const accepted = new WeakMap<IncomingMessage, Accepted>();

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    // Runs once the handshake is known to be well-formed, so that no function hears of one that is not.
    verifyClient: ({ req }, proceed) => {
      admit(req, () => proceed(true)).catch((error: unknown) => {
        onFault(error);
        refuseUpgrade(req, json(500, { message: "Internal server error" }));
      });
    },
    // The function of $connect has chosen, be it well or not.
    handleProtocols: () => false,
    ...patience,
  });
  server.on("headers", (headers, request) => {
    const { subprotocol } = accepted.get(request) ?? {};
    if (subprotocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${subprotocol}`);
  });
  server.on("wsClientError", (error, _, request) =>
    refuseUpgrade(request, json(400, { message: error.message })),
  );

  async function admit(request: IncomingMessage, proceed: () => void): Promise<void> {
    const handshake = await connect(readRequest(request, Buffer.alloc(0)));
    if ("refusal" in handshake) return refuseUpgrade(request, handshake.refusal);
    accepted.set(request, handshake);
    proceed();
    if (accepted.delete(request)) onLost(handshake.peer);
  }

  return (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      return refuseUpgrade(request, upgradeRequired);
    }
    server.handleUpgrade(request, socket, head, (websocket) => {
      const { peer } = accepted.get(request) as Accepted;
      accepted.delete(request);
      onOpen(websocket, peer);
    });
  };
}
