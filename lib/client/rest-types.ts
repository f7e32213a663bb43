import type { components, ErrorCodes, OwnDetails, operations, routes } from "./openapi.ts";

/** An operationId of docs/openapi.json. */
export type OperationName = keyof typeof routes;

type Schemas = components["schemas"];

/** Parameters of one kind, or `never` if there are none. */
type Parameters<Name extends OperationName, Place extends "path" | "query" | "header"> = NonNullable<
  operations[Name]["parameters"][Place]
>;

type Body<Name extends OperationName> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Json } };
}
  ? Json
  : never;

/** Makes a field required if one of its own fields is required. */
type Field<Key extends string, Value> = [Value] extends [never]
  ? { [Name in Key]?: never }
  : object extends Value
    ? { [Name in Key]?: Value }
    : { [Name in Key]: Value };

export type CallOptions = {
  /** Aborts the call, which then returns the error ABORTED. */
  signal?: AbortSignal;
  /**
   * Milliseconds during which a failed call is repeated. 0 means never. By default, the terminal's `patienceMs`
   * applies.
   */
  patienceMs?: number;
};

export type RestRequest<Name extends OperationName> = Field<"path", Parameters<Name, "path">> &
  Field<"query", Parameters<Name, "query">> &
  Field<"headers", Headed<Name>> &
  (HasBody<Name> extends true ? { body: Body<Name> } : { body?: Body<Name> }) &
  CallOptions;

/** The caller must name the Idempotency-Key, because the ciphertext of an import is bound to it. */
type Headed<Name extends OperationName> = Name extends "importWallet"
  ? { "Idempotency-Key": string }
  : Parameters<Name, "header">;

/** True if a request needs a body. An absent body is sent as `{}`. */
type HasBody<Name extends OperationName> = [Body<Name>] extends [never]
  ? false
  : Record<string, never> extends Body<Name>
    ? Body<Name>[keyof Body<Name>] extends never
      ? false
      : true
    : true;

type Json<Response> = Response extends { content: { "application/json": infer Answer } } ? Answer : undefined;

type Unwrapped<Answer> = Answer extends { success: true; data: infer Data } ? Data : Answer;

/** Data of a successful call. For responses in the general envelope, this is their `data`. */
export type RestData<Name extends OperationName> = Unwrapped<
  Json<operations[Name]["responses"][keyof operations[Name]["responses"]]>
>;

/** Details of an error code: those of the operation if it has some, or else those of the envelope. */
type Details<Name, Code> = Name extends keyof OwnDetails
  ? Code extends keyof OwnDetails[Name]
    ? { details: OwnDetails[Name][Code] }
    : EnvelopeDetails<Code>
  : EnvelopeDetails<Code>;

type EnvelopeDetails<Code> =
  Extract<Schemas["EnvelopeError"], { code: Code }> extends infer Known
    ? [Known] extends [never]
      ? { details?: undefined }
      : Omit<Known, "code" | "message">
    : never;

type Coded<Name, Status, Code> = Code extends string
  ? { status: Status; code: Code; message: string; retryAfterSeconds?: number } & Details<Name, Code>
  : never;

type EnvelopeErrors<Name, Codes> = {
  [Status in keyof Codes]: Coded<Name, Status, Codes[Status]>;
}[keyof Codes];

type Plain<Status, Code> = {
  status: Status;
  code: Code;
  message: string;
  details?: undefined;
  /** The service's `Retry-After` header. */
  retryAfterSeconds?: number;
};

/** Errors that any operation can return without a code in the response. */
export type GeneralError =
  | Plain<400, "INVALID_REQUEST">
  | (Plain<401, "UNAUTHORIZED"> & { needsRefresh?: true })
  /** The service refuses the program's key, or this machine's clock is wrong. Only terminals with a key have these. */
  | Plain<401, "KEY_REFUSED" | "CLOCK_WRONG">
  | Plain<403, "FORBIDDEN">
  | Plain<404, "NOT_FOUND">
  | Plain<412, "PRECONDITION_FAILED">
  | Plain<413, "TOO_LARGE">
  | Plain<414, "TOO_LONG">
  | Plain<415, "UNSUPPORTED_MEDIA_TYPE">
  | Plain<429, "RATE_LIMITED">
  | Plain<500, "INTERNAL_ERROR">
  | Plain<502 | 503 | 504, "UNAVAILABLE">
  /** Any other status. */
  | Plain<number, "REFUSED">
  /** Nothing has changed since the ETag of If-None-Match. */
  | Plain<304, "NOT_MODIFIED">
  /** The response is not JSON: it comes from a proxy, a firewall or CloudFront, not from the service. */
  | Plain<number, "EDGE_ERROR">
  /** No response came. The service may have carried out the request. */
  | (Plain<0, "NETWORK_ERROR"> & { cause?: unknown })
  /** The token provider failed. Nothing was sent. */
  | (Plain<0, "TOKEN_ERROR"> & { cause?: unknown })
  | Plain<0, "ABORTED">;

/** Errors of an operation, as a union to narrow by `code` or `status`. */
export type RestError<Name extends OperationName = OperationName> = Name extends OperationName
  ? GeneralError | EnvelopeErrors<Name, ErrorCodes[Name]>
  : never;

/** Result of a call: either data or an error. `headers` are those of the response, if there was one. */
export type RestAnswer<Name extends OperationName, Data = RestData<Name>> =
  | { data: Data; error?: undefined; headers: Headers }
  | { data?: undefined; error: RestError<Name>; headers?: Headers };

/** A request to place an order with another body. */
type Placing<Body> = Omit<RestRequest<"placeOrder">, "body"> & { body: Body };

type Automatic = Schemas["PlaceAutomaticBuy"];
type Typed = Exclude<RestRequest<"placeOrder">["body"], Automatic>;
type OrderType = Typed["type"];
type Placed = Extract<RestData<"placeOrder">, { order: object }>;

/**
 * A placed order, or only its quote if `dryRun` was set, with the terms at which a resting order would fire. The compiler
 * explains mistakes by the last signature, so that is the one of most orders.
 */
type PlaceOrder = {
  (request: Placing<Automatic>): Promise<RestAnswer<"placeOrder", Placed>>;
  <DryRun extends boolean = false, Type extends OrderType = "market">(
    request: Placing<Typed & { dryRun?: DryRun; type: Type }>,
  ): Promise<RestAnswer<"placeOrder", DryRun extends true ? TrialOf<Type> : Placed>>;
};

type Trial = Extract<RestData<"placeOrder">, { dryRun: true }>;
type RestingTrial = Extract<Trial, { resting: object }>;
type TrialOf<Type extends OrderType> = Type extends "market" ? Exclude<Trial, RestingTrial> : RestingTrial;

/** Referrals for the type `ref`, or the profile for any other type. */
type GetUserData = <Type extends string = "profile">(
  request?: RestRequest<"getUserData"> & { query?: { type?: Type } },
) => Promise<RestAnswer<"getUserData", UserDataOf<Type>>>;

type UserDataOf<Type extends string> = string extends Type
  ? RestData<"getUserData">
  : Type extends "ref"
    ? Schemas["ReferralData"]
    : Schemas["ProfileData"];

/** Operations that list data in pages. */
export type PagedName = {
  [Name in OperationName]: Parameters<Name, "query"> extends infer Query
    ? [Query] extends [never]
      ? never
      : "cursor" extends keyof Query
        ? Name
        : never
    : never;
}[OperationName];

/** Reads a list page by page. */
export type Pages = <Name extends PagedName>(
  operation: Name,
  request?: RestRequest<Name>,
) => AsyncGenerator<RestAnswer<Name>, void, undefined>;

type OwnCalls = { placeOrder: PlaceOrder; getUserData: GetUserData };

/** Method that calls an operation. */
export type Call<Name extends OperationName> = Name extends keyof OwnCalls
  ? OwnCalls[Name]
  : (
      ...request: object extends RestRequest<Name>
        ? [request?: RestRequest<Name>]
        : [request: RestRequest<Name>]
    ) => Promise<RestAnswer<Name>>;
