import type { GivenDevice } from "../../lib/devices/change-devices.ts";
import { pushReceiver } from "../support/push-receiver.ts";

export const wantsAll = { fills: true, rejections: true, resting: true };

/** Rules under which every host has a public address. */
export const openRules = {
  isAllowed: () => true,
  isPlainAllowed: false,
  find: async () => [{ address: "8.8.8.8", family: 4 }],
};

export const webhook = (url = "https://hooks.example/1", wants = wantsAll): GivenDevice => ({
  type: "webhook",
  name: "Desk",
  url,
  wants,
});

export const browser = (endpoint = "https://push.example/1", { keys } = pushReceiver()): GivenDevice => ({
  type: "push",
  name: "Phone",
  subscription: { endpoint, keys },
  wants: wantsAll,
});
