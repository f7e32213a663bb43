import { Duration } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type AddAlarm, lateAndFilled } from "./add-alarm.ts";
import type { Watched } from "./metrics.ts";
import {
  hostUnits,
  jupiterRefusals,
  lateBroadcasts,
  postponedSignatures,
  refusedSignatures,
  staleMarketsSeen,
  troublesSeen,
} from "./trading-metrics.ts";

/** Alarms on stuck orders and chains, and on refused signature requests, because no function fails in these cases. */
export function watchTrading(scope: Construct, add: AddAlarm, { functions }: Watched) {
  add(
    "SignatureRefused",
    refusedSignatures(scope, functions.get("signTransaction")),
    "A function asked the signer for a transaction that no user has ordered, and the signer refused. Unless this is a bug, somebody has taken over executeOrders or can write the table. Stop trading (admin trading --stop). Look first at the line in the log of function signTransaction, which names the order and the reason, then at the runbook.",
    { threshold: 1 },
  );
  add(
    "SignaturesPostponed",
    postponedSignatures(scope, functions.get("signTransaction")),
    "The signer postpones more requests than it signs. Unless trading was just stopped, or a clock is wrong, somebody may be probing it, as with the alarm SignatureRefused. Look first at the reasons in the log of function signTransaction, then at the runbook.",
    { threshold: 20, ...lateAndFilled },
  );
  const sweep = functions.get("sweepLanes");
  const log = "Look first at the warnings in the log of function sweepLanes";
  add(
    "OrderWithoutProgress",
    troublesSeen(scope, sweep, "ORDER_WITHOUT_PROGRESS"),
    `An order has made no progress for five minutes, and its user does not know why. ${log}, which name the chain and the wallet, then at its orders with admin show-order.`,
    { threshold: 1 },
  );
  add(
    "LaneHeldTooLong",
    troublesSeen(scope, sweep, "LANE_HELD_TOO_LONG"),
    `The orders of a wallet are stuck: a run of executeOrders ended while it held the wallet's lane, and no other run has taken over for two minutes. ${log}, which name the wallet, then at the failures and throttles of executeOrders.`,
    { threshold: 1 },
  );
  add(
    "ReaderMissing",
    troublesSeen(scope, sweep, "READER_MISSING"),
    `Users see the outcome of their orders up to a minute late, or their limits and stops do not fire: in two of five minutes, no run of readChains had read a chain with open orders for 30 seconds, or none of watchTriggers had watched the orders that rest. The sweep wakes all wallets of such a chain instead. ${log}, which name the chain, or triggers, then at the failures and throttles of readChains, or of watchTriggers.`,
    { period: Duration.minutes(1), evaluationPeriods: 5, datapointsToAlarm: 2, threshold: 1 },
  );
  add(
    "ChainUnavailable",
    troublesSeen(scope, sweep, "CHAIN_UNAVAILABLE"),
    `Nobody can place an order on a chain, and open orders there wait: in three of five minutes, no two of its hosts returned the same block. ${log}, which name the chain and the cause, then at the state of its hosts. Other hosts can be configured (context chains).`,
    { period: Duration.minutes(1), evaluationPeriods: 5, datapointsToAlarm: 3, threshold: 1 },
  );
  add(
    "BroadcastsLate",
    lateBroadcasts(scope, functions.get("executeOrders")),
    "Users get worse prices: more than one order in twenty, and at least three in 15 minutes, took longer than five seconds from the request until a host had its transaction. Orders that wait for their user, such as for cheaper gas, do not count. Look first at the graph of broadcasts on the dashboard. If one chain is slow, look at its hosts (npm run hosts); if all are, at the throttles and durations of functions placeOrder, executeOrders and signTransaction.",
    { period: Duration.minutes(15), ...lateAndFilled },
  );
}

/** Alarms on markets that nobody reads, because no function fails then. */
export function watchMarkets(scope: Construct, add: AddAlarm, { functions }: Watched) {
  add(
    "MarketsStale",
    staleMarketsSeen(scope, [functions.get("readMarkets"), functions.get("sweepLanes")]),
    "Users who follow tokens see old prices: in three of five minutes, no run of readMarkets was active, or a chain's newest block was older than a minute. Look first at the warnings MarketsStale in the logs of functions readMarkets and sweepLanes, then at the hosts of the chain (npm run hosts) and at the throttles of readMarkets.",
    { period: Duration.minutes(1), evaluationPeriods: 5, datapointsToAlarm: 3, threshold: 1 },
  );
}

/** Alarms on the costs of hosts, which no budget of AWS shows. */
export function watchHostUnits(scope: Construct, add: AddAlarm, { functions }: Watched, mostUnits: number) {
  add(
    "HostUnits",
    hostUnits(
      scope,
      functions.all().filter(({ row }) => row.env.includes("TRADING") && row.kind !== "refusal"),
    ),
    `Users notice nothing, but the providers of hosts bill more than planned: functions spent ${mostUnits} units in a day (context hostUnitsPerDay). Look first at the graph of units on the dashboard and at the invocations of quoteOrder, getMarket, loadHistory and readMarkets, then at which users ask so much.`,
    { period: Duration.days(1), threshold: mostUnits },
  );
}

/** Alarms on answers of Jupiter that trade nothing. Its metrics cost something, so it exists only with Jupiter. */
export function watchJupiter(scope: Construct, add: AddAlarm, { functions }: Watched) {
  add(
    "JupiterRefusing",
    jupiterRefusals(
      scope,
      (["quoteOrder", "placeOrder", "executeOrders"] as const).map((name) => functions.get(name)),
    ),
    "Users get worse prices on sol, and no route for tokens that neither Raydium nor Pump trades: Jupiter answered all requests of half an hour with a 400, or at least 100 of them with a 429. Look first at the lines with the event jupiter answered in the logs of functions quoteOrder, placeOrder and executeOrders. If all are refused, Jupiter may have changed its parameters: run npm run hosts -- --chain sol. If they are limited, the plan of the key is too small.",
    { period: Duration.minutes(30), threshold: 100 },
  );
}
