import * as v from "valibot";
import type { OperationSchemas } from "./operation-schema.ts";
import { envelopeOf, NoContentSchema, NoQuerySchema } from "./scalars.ts";
import {
  ChainPathSchema,
  IfMatchHeadersSchema,
  IfNoneMatchHeadersSchema,
  SettingsAnswerSchema,
  SettingsPatchSchema,
  SettingsRecordSchema,
} from "./settings-schema.ts";
import {
  OwnProfileSchema,
  StartSessionSchema,
  UpdateProfileSchema,
  UserDataQuerySchema,
  UserDataSchema,
} from "./user-data-schema.ts";

const settingsTag = { ETag: 'Version of the settings for If-Match, such as `"5"`; `"0"` for defaults.' };

export const startSession = {
  query: NoQuerySchema,
  body: StartSessionSchema,
  success: NoContentSchema,
  answerHeaders: {
    "Set-Cookie":
      "Cookie with the token until it expires: HttpOnly, Secure, and sent only from pages of the API's own site.",
  },
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const endSession = {
  query: NoQuerySchema,
  success: NoContentSchema,
  answerHeaders: { "Set-Cookie": "Empty cookie, so that the browser removes it." },
} as const satisfies OperationSchemas;

export const updateTradingSettings = {
  path: ChainPathSchema,
  headers: IfMatchHeadersSchema,
  body: SettingsPatchSchema,
  success: SettingsRecordSchema,
  answerHeaders: settingsTag,
  errors: ["INVALID_SETTING", "PRECONDITION_FAILED"],
  errorShapes: { client: "message", server: "message" },
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const getTradingSettings = {
  path: ChainPathSchema,
  query: NoQuerySchema,
  headers: IfNoneMatchHeadersSchema,
  success: SettingsAnswerSchema,
  answerHeaders: settingsTag,
} as const satisfies OperationSchemas;

export const getUserData = {
  query: UserDataQuerySchema,
  success: UserDataSchema,
  errorShapes: { client: "error", server: "error" },
} as const satisfies OperationSchemas;

export const updateProfile = {
  query: NoQuerySchema,
  body: UpdateProfileSchema,
  success: envelopeOf(v.object({ profile: OwnProfileSchema })),
} as const satisfies OperationSchemas;
