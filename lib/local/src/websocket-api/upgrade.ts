import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { readRequest, refuseUpgrade } from "../http/exchange.ts";
import { type GatewayRequest, type GatewayResponse, json } from "../http/messages.ts";
import type { Handshake } from "./connect.ts";
import type { StreamLimits } from "./connection.ts";
import type { Peer } from "./events.ts";

export type UpgradeOptions = {
  limits: Pick<StreamLimits, "messageBytes">;
  /** Decides on well-formed handshakes. */
  connect: (request: GatewayRequest) => Promise<Handshake>;
  /** Called with an admitted client and its socket, before any of its frames is read. */
  onOpen: (websocket: WebSocket, socket: Duplex, peer: Peer) => void;
  /** Called with a client that disconnected while it was being admitted. */
  onLost: (peer: Peer) => void;
  onFault: (error: unknown) => void;
};

/** An upgrade request that came through a distribution in front of the API. */
export type ForwardedUpgrade = {
  /** Request that the API gets. */
  request: GatewayRequest;
  /** Converts the API's answer for the client. */
  toViewer(answer: GatewayResponse): GatewayResponse;
};

type Accepted = Exclude<Handshake, { refusal: unknown }>;

/** Milliseconds in which a client must acknowledge a close. The types of `ws` lack this option. */
const closeOptions = { closeTimeout: 2000 };

export const upgradeRequired = json(
  426,
  { message: "Upgrade Required" },
  ["Upgrade", "websocket"],
  ["Connection", "Upgrade"],
);

/** Creates a function that completes the WebSocket handshake of upgrade requests, or refuses them. */
export function createUpgrade({ limits, connect, onOpen, onLost, onFault }: UpgradeOptions) {
  /** Admitted clients whose handshake is not complete. */
  const accepted = new WeakMap<IncomingMessage, Accepted>();
  const forwarded = new WeakMap<IncomingMessage, ForwardedUpgrade>();

  function refuse(request: IncomingMessage, answer: GatewayResponse): void {
    refuseUpgrade(request, forwarded.get(request)?.toViewer(answer) ?? answer);
  }

  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.messageBytes,
    // Runs after `ws` has checked the handshake, so that functions see only well-formed ones.
    verifyClient: ({ req }, proceed) => {
      admit(req, () => proceed(true)).catch((error: unknown) => {
        onFault(error);
        refuse(req, json(500, { message: "Internal server error" }));
      });
    },
    // Leaves the protocol to the function of $connect, which may choose one that the client has not offered.
    handleProtocols: () => false,
    ...closeOptions,
  });
  server.on("headers", (headers, request) => {
    const { subprotocol } = accepted.get(request) ?? {};
    if (subprotocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${subprotocol}`);
  });
  server.on("wsClientError", (error, _, request) => refuse(request, json(400, { message: error.message })));

  async function admit(request: IncomingMessage, proceed: () => void): Promise<void> {
    const handshake = await connect(forwarded.get(request)?.request ?? readRequest(request, Buffer.alloc(0)));
    if ("refusal" in handshake) return refuse(request, handshake.refusal);
    accepted.set(request, handshake);
    proceed();
    if (accepted.delete(request)) onLost(handshake.peer);
  }

  return (request: IncomingMessage, socket: Duplex, head: Buffer, through?: ForwardedUpgrade) => {
    if (through) forwarded.set(request, through);
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      return refuse(request, upgradeRequired);
    }
    server.handleUpgrade(request, socket, head, (websocket) => {
      const { peer } = accepted.get(request) as Accepted;
      accepted.delete(request);
      onOpen(websocket, socket, peer);
    });
  };
}
