import { unknownMessage } from "../../lib/runtime/message.ts";

export const handler = unknownMessage();
