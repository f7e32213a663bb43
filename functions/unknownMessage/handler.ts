import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { unknownMessage } from "../../lib/runtime/websocket.ts";

export const handler = limited("unknownMessage", connectionPort(openPusher()), unknownMessage());
