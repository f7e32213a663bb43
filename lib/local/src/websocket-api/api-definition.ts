/** A WebSocket API as its template describes it. */
export type WebSocketApiDefinition = {
  apiId: string;
  stage: string;
  /** Where a message names its route: keys that lead to it from the top of the body. */
  selection: readonly string[];
  /** By route key, `$connect`, `$disconnect` and `$default` among them. Any of them may be absent. */
  routes: ReadonlyMap<string, Route>;
  /** Asked before `$connect`. */
  authorizer: ConnectAuthorizer | undefined;
  /** Whether `$connect` takes an API key, which the authorizer names. */
  connectNeedsKey: boolean;
};

export type Route = {
  functionArn: string;
  timeoutMs: number;
  /** Whether the client gets the body of the function's answer. */
  hasResponse: boolean;
};

export type ConnectAuthorizer = {
  id: string;
  functionArn: string;
  /** Headers without which nobody is even asked, in lower case. */
  requiredHeaders: readonly string[];
};
