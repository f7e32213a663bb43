import { inject, test } from "vitest";
import type { Deployment } from "../../support/deployment.ts";
import { openService, type Service, type ServiceNames } from "./service.ts";
import type { TestUser } from "./sign-in.ts";

/** Settings of a run, passed as JSON to the process that runs the checks. */
export type Run = {
  deployment: Deployment;
  names: ServiceNames;
  startedAt: number;
  isQuick: boolean;
  user: TestUser;
  /** A second user, who must never receive the first user's answers. */
  other: TestUser;
  /** An expired token. Empty if the operator has provided none. */
  expiredToken: string;
};

declare module "vitest" {
  interface ProvidedContext extends Omit<Run, "deployment"> {}
}

export const service = await openService(inject("names"));

type Given = {
  /** A user who is new to the service. */
  user: { id: string; token: string };
  other: { id: string; token: string };
  deployed: NonNullable<Service["deployed"]>;
  edge: NonNullable<Service["edge"]>;
  /** Address of the console. */
  console: string;
  /** Marks checks that take longer than half a minute. */
  minutes: undefined;
};

/** Defines a check. Skips it with a reason if the service lacks something that the check needs. */
export const it = test.extend<Given>({
  user: async ({ skip }, use) => {
    const user = inject("user");
    if ("missing" in user) skip(user.missing);
    else await use(user);
  },
  other: async ({ skip }, use) => {
    const other = inject("other");
    if ("missing" in other) skip(other.missing);
    else await use(other);
  },
  deployed: async ({ skip }, use) => {
    if (service.deployed === undefined) skip("only a deployment has the data of this check");
    else await use(service.deployed);
  },
  edge: async ({ skip }, use) => {
    if (service.edge === undefined) skip("this deployment has no edge");
    else await use(service.edge);
  },
  console: async ({ skip }, use) => {
    const url = service.edge?.consoleUrl;
    if (url === undefined) skip("this deployment has no console");
    else await use(url);
  },
  minutes: async ({ skip }, use) => {
    skip(inject("isQuick"), "it is slow; run without --quick");
    await use(undefined);
  },
});
