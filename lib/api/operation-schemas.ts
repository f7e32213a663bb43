import * as v from "valibot";
import type { DomainErrorCode } from "../domain/domain-error.ts";
import type { RestOperationName } from "../operations.ts";
import { RewardList } from "./reward-schema.ts";
import { envelopeOf, Message } from "./scalars.ts";
import { ChainPath, SettingsPatch, SettingsRecord } from "./settings-schema.ts";
import { UserData, UserDataQuery } from "./user-data-schema.ts";
import { ImportWallet, Wallets } from "./wallet-schema.ts";

export type OperationSchemas = {
  path?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** The body of a 200. What it does not list never leaves the service. */
  success: v.GenericSchema;
  /** Which rules of the domain may turn it down. */
  domainErrors?: readonly DomainErrorCode[];
};

/** What each operation takes and gives. */
export const schemas = {
  storeWallet: {
    body: ImportWallet,
    success: Message,
    domainErrors: ["INVALID_PRIVATE_KEY", "WALLET_LIMIT_REACHED"],
  },
  listWallets: { success: Wallets },
  updateTradingSettings: {
    path: ChainPath,
    body: SettingsPatch,
    success: SettingsRecord,
    domainErrors: ["INVALID_SETTING"],
  },
  getUserData: { query: UserDataQuery, success: UserData },
  listRewards: { success: RewardList },
  listWalletsV2: { success: envelopeOf(v.object({ wallets: Wallets })) },
} as const satisfies Record<RestOperationName, OperationSchemas>;

type Schemas = typeof schemas;
type InputPart<Name extends RestOperationName, Part extends string> = Schemas[Name] extends {
  [P in Part]: infer Schema extends v.GenericSchema;
}
  ? v.InferOutput<Schema>
  : undefined;

/** The parsed request of an operation; a part that it does not take is undefined. */
export type Request<Name extends RestOperationName> = {
  path: InputPart<Name, "path">;
  query: InputPart<Name, "query">;
  body: InputPart<Name, "body">;
};

/** The body of an operation's 200. */
export type Success<Name extends RestOperationName> = v.InferInput<Schemas[Name]["success"]>;
