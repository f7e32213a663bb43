import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { decodeJwt } from "jose";
import { deleteKeyNamed } from "../aws/api-keys.ts";
import { closeConnection, connectionsOfUser } from "../aws/connection-records.ts";
import { deleteCustomerPlanNamed } from "../aws/customer-plans.ts";
import { readProfile } from "../aws/profile-records.ts";
import { queryRange } from "../aws/table.ts";
import { referralCodeKey, userKeyRecordKey } from "../aws/table-keys.ts";
import { KeyChanged, readUserKeyRecord } from "../aws/user-key-records.ts";
import type { Profile } from "../domain/profile.ts";
import { mirrorUser } from "../plans/mirror.ts";
import { everythingOf } from "../table/keys.ts";
import type { CallLimit } from "./call-limit.ts";
import { type Patience, Skip } from "./check.ts";
import type { CleanUp } from "./clean-up.ts";
import { RestClient } from "./rest-client.ts";
import type { Secrets } from "./secrets.ts";
import type { Service } from "./service.ts";
import { openSocket, type Socket, type SocketOptions } from "./socket.ts";

export type RunParts = {
  service: Service;
  cleanUp: CleanUp;
  secrets: Secrets;
  limit: CallLimit;
  signal: AbortSignal;
};

export type TestUser = { userID: string; token: string };

/** What the checks of one run share. */
export class Run {
  readonly service: Service;
  readonly cleanUp: CleanUp;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  readonly startedAt = new Date();
  readonly http: RestClient;
  readonly #limit: CallLimit;
  readonly #sockets: Socket[] = [];
  #user: Promise<TestUser> | undefined;

  constructor({ service, cleanUp, secrets, limit, signal }: RunParts) {
    this.service = service;
    this.cleanUp = cleanUp;
    this.secrets = secrets;
    this.signal = signal;
    this.#limit = limit;
    this.http = new RestClient(service.baseUrl, limit, signal);
  }

  patience(withinMs: number, everyMs = 500): Patience {
    return { withinMs, everyMs, signal: this.signal };
  }

  /**
   * The user that the checks sign in as, whom the service has not seen before.
   *
   * @throws {Skip} if there is no such user.
   */
  user(): Promise<TestUser> {
    this.#user ??= this.#signIn();
    return this.#user;
  }

  /** Connects as a client does. The connection ends with the run. */
  async connect(options: SocketOptions): Promise<Socket> {
    this.signal.throwIfAborted();
    const socket = await openSocket(this.service.streamUrl, this.#limit, options);
    if (this.#sockets.length === 0)
      this.cleanUp.add("the connections", async () => {
        for (const open of this.#sockets.splice(0)) open.close();
      });
    this.#sockets.push(socket);
    return socket;
  }

  async #signIn(): Promise<TestUser> {
    const { signIn, table } = this.service;
    if (signIn === undefined)
      throw new Skip("there is no user: set VERIFY_TOKEN to a token of a new user of your issuer");
    const { token, remove } = await signIn.start();
    this.secrets.add(token);
    const { sub: userID } = decodeJwt(token);
    this.cleanUp.add(`the sign-in of user ${userID}`, remove);
    if (userID === undefined) throw new Error("The token has no claim sub");
    // Everything of this user is deleted in the end.
    if ((await readProfile(table, userID)) !== undefined)
      throw new Skip("the user of VERIFY_TOKEN has data already: set it to a token of a new user");
    this.cleanUp.add(`the data and the API keys of user ${userID}`, () => this.#forget(userID));
    return { userID, token };
  }

  /** Deletes all that the service knows of a user. */
  async #forget(userID: string): Promise<void> {
    const { table, plans } = this.service;
    const names = await this.#keyNames(userID);
    // With their places in channels. The service may not have noticed their end yet.
    for (const connection of await connectionsOfUser(table, userID)) await closeConnection(table, connection);
    const items = await Promise.all(
      everythingOf(userID).map((range) => queryRange<Partial<Profile>>(table, range)),
    );
    const record = userKeyRecordKey(userID).SK;
    for (const { PK, SK, refID } of items.flat()) {
      if (refID !== undefined) await this.#delete(referralCodeKey(refID));
      // The record names keys that are to be deleted.
      if (SK !== record) await this.#delete({ PK, SK });
    }
    await retire({ ...plans, now: () => new Date() }, userID);
    // deleteRetiredKeys would do this too, ten minutes later.
    for (const name of new Set([...names, ...(await this.#keyNames(userID))])) {
      await deleteKeyNamed(plans.plans, name);
      await deleteCustomerPlanNamed(plans.plans, name);
    }
  }

  async #keyNames(userID: string): Promise<string[]> {
    const { current, next } = (await readUserKeyRecord(this.service.table, userID)) ?? {};
    return [current, next].flatMap((key) => (key === undefined ? [] : [key.name]));
  }

  async #delete(Key: { PK: string; SK: string }): Promise<void> {
    const { name, client } = this.service.table;
    await client.send(new DeleteCommand({ TableName: name, Key }));
  }
}

/** Removes the record of a deleted user's key, even while mirrorPlans does the same. */
async function retire(deps: Parameters<typeof mirrorUser>[0], userID: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await mirrorUser(deps, userID);
    } catch (error) {
      if (!(error instanceof KeyChanged) || attempt === 5) throw error;
    }
  }
}
