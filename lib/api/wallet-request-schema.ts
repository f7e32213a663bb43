import * as v from "valibot";
import { networks } from "../core/network.ts";
import { colorTags } from "../wallets/wallet.ts";
import { walletEventTypes } from "../wallets/wallet-event.ts";
import { idempotencyHeaders } from "./idempotency-schema.ts";
import { nextCursor, paging, pagingOnDemand } from "./paging-schema.ts";
import { CountSchema, envelopeOf, ThumbprintSchema, TimestampSchema } from "./scalars.ts";
import { policyOfEvent } from "./wallet-policy-schema.ts";
import { WalletSchema, walletLabels, walletVariants } from "./wallet-schema.ts";

export const WalletPathSchema = v.strictObject({
  walletId: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, "must be the id of a wallet")),
});

export const CreateWalletHeadersSchema = idempotencyHeaders("A key makes only one wallet per user, ever.");

export const CreateWalletSchema = v.pipe(
  v.strictObject({ network: v.picklist(networks), ...walletLabels }),
  v.title("CreateWallet"),
);

export const UpdateWalletSchema = v.pipe(
  v.strictObject(walletLabels),
  v.forward(
    v.check(
      (labels) => Object.values(labels).some((label) => label !== undefined),
      "or colortag is required",
    ),
    ["slotName"],
  ),
  v.title("UpdateWallet"),
  v.description("Only the fields to change. `null` restores the default for the wallet's slot."),
);

export const RestoreWalletSchema = v.pipe(v.strictObject({}), v.title("RestoreWallet"));

export const ListWalletsQuerySchema = v.strictObject({
  network: v.optional(v.picklist(networks)),
  ...pagingOnDemand,
});

const PagedWalletSchema = v.pipe(
  v.object({
    ...WalletSchema.entries,
    version: v.pipe(
      v.optional(CountSchema),
      v.description(
        "Version of the wallet, which grows with each change, as on the stream. Present only if the request has a parameter.",
      ),
    ),
  }),
  walletVariants("Wallet"),
  v.title("PagedWallet"),
);

export const WalletPageSchema = envelopeOf(
  v.object({ wallets: v.array(PagedWalletSchema), cursor: nextCursor }),
);

export const RetiredAnswerSchema = envelopeOf(
  v.object({
    wallet: WalletSchema,
    restorableUntil: v.pipe(
      TimestampSchema,
      v.description("Time at which the wallet's private key is deleted for good"),
    ),
  }),
);

export const WalletEventsQuerySchema = v.strictObject(paging);

const WalletEventSchema = v.pipe(
  v.object({
    type: v.picklist(walletEventTypes),
    time: TimestampSchema,
    slotName: v.exactOptional(v.nullable(v.string())),
    colortag: v.exactOptional(v.nullable(v.picklist(colorTags))),
    ...policyOfEvent,
    availableAt: v.exactOptional(TimestampSchema),
    thumbprint: v.exactOptional(ThumbprintSchema),
  }),
  v.title("WalletEvent"),
  v.description(
    "`renamed` has the changed fields, with `null` where the default was restored. `policyChanged` has the policy in force and the pending one. `exportRequested` has the time from which the export is possible, and the thumbprint of its key.",
  ),
);

export const WalletEventPageSchema = envelopeOf(
  v.object({ events: v.array(WalletEventSchema), cursor: nextCursor }),
);
