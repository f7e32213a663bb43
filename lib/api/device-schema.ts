import * as v from "valibot";
import { choices, deliveryFaults, deviceTypes } from "../devices/device.ts";
import { isWalletName, tidyWalletName, walletNameRule } from "../wallets/wallet-name.ts";
import { base64urlOf, envelopeOf, TimestampSchema } from "./scalars.ts";

const longestUrl = 2048;

const UrlSchema = v.pipe(
  v.string("must be a URL"),
  v.url("must be a URL"),
  v.maxLength(longestUrl, `must have at most ${longestUrl} characters`),
);

const wanted = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)), true);

const GivenWantsSchema = v.pipe(
  v.optional(
    v.strictObject({
      fills: wanted("Fills of orders"),
      rejections: wanted("Orders that were rejected or expired"),
      resting: wanted("Resting orders that ended without a fill, and not by their user"),
    }),
    {},
  ),
  v.description(
    "Notices that the device gets besides those of custody, which it always gets: exports, locks, looser policies, program keys and devices. All by default.",
  ),
);

const named = {
  name: v.pipe(
    v.string(walletNameRule),
    v.transform(tidyWalletName),
    v.check(isWalletName, walletNameRule),
    v.description("Name of the device in lists: 1 to 40 visible characters"),
  ),
  wants: GivenWantsSchema,
};

const pointBytes = 65;
const authBytes = 16;

/** A device in a request. */
export const CreateDeviceSchema = v.pipe(
  v.variant("type", [
    v.strictObject({
      type: v.literal("push"),
      ...named,
      subscription: v.pipe(
        v.strictObject({
          endpoint: UrlSchema,
          expirationTime: v.optional(v.nullable(v.number())),
          keys: v.strictObject({
            p256dh: base64urlOf([pointBytes], "The browser's public key"),
            auth: base64urlOf([authBytes], "The browser's authentication secret"),
          }),
        }),
        v.description("What `PushSubscription.toJSON()` returns in a browser"),
      ),
    }),
    v.strictObject({
      type: v.literal("webhook"),
      ...named,
      url: v.pipe(UrlSchema, v.description("An https URL whose host has only public addresses")),
    }),
  ]),
  v.title("CreateDevice"),
);

const DeviceSchema = v.object({
  deviceId: v.string(),
  type: v.picklist(deviceTypes),
  name: v.string(),
  host: v.pipe(v.string(), v.description("Host of the device's address. The rest of it is never returned.")),
  wants: v.object(v.entriesFromList(choices, v.boolean())),
  createdAt: TimestampSchema,
  leavesAt: v.pipe(
    v.optional(TimestampSchema),
    v.description("Time until which a removed device still gets the notices of custody"),
  ),
  lastFailure: v.pipe(
    v.optional(
      v.object({
        time: TimestampSchema,
        code: v.picklist(deliveryFaults),
        status: v.optional(v.number()),
      }),
    ),
    v.description("The last attempt that failed. `status` is that of an HTTP response."),
  ),
});

export const DevicePathSchema = v.strictObject({
  deviceId: v.pipe(v.string(), v.regex(/^[\dA-Z]{26}$/, "must be the id of a device")),
});

const titled = v.pipe(DeviceSchema, v.title("Device"));

export const CreatedDeviceSchema = envelopeOf(
  v.object({
    device: v.pipe(
      v.object({
        ...DeviceSchema.entries,
        secret: v.pipe(
          v.exactOptional(v.string()),
          v.description("Secret of a webhook, by which it verifies notices. Only this response has it."),
        ),
      }),
      v.title("CreatedDevice"),
    ),
  }),
);

export const DevicesSchema = envelopeOf(
  v.object({
    devices: v.array(titled),
    pushKey: v.pipe(
      v.exactOptional(v.string()),
      v.description("Public key to subscribe browsers with. Absent if the service has none."),
    ),
  }),
);

export const DeviceAnswerSchema = envelopeOf(v.object({ device: titled }));
