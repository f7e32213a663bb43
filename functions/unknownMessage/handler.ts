import { unknownMessage } from "../../lib/runtime/websocket.ts";

export const handler = unknownMessage();
