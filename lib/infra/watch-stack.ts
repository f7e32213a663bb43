import { CrossStackReferences, ReferenceStrength, Stack, type StackProps } from "aws-cdk-lib";
import { CfnBudget } from "aws-cdk-lib/aws-budgets";
import type { Construct } from "constructs";
import { tradingChains } from "../core/chain-facts.ts";
import { alarmTopicsOf } from "./alarm-context.ts";
import type { Configuration } from "./configuration.ts";
import { Alarms } from "./monitoring/alarms.ts";
import { TerminalDashboard } from "./monitoring/dashboard.ts";
import type { Watched } from "./monitoring/metrics.ts";

export type WatchStackProps = Pick<StackProps, "tags"> & { configuration: Configuration; watched: Watched };

/**
 * Stack of the alarms, the log metric filters, the dashboard and the budget. It reads the other stacks, and no stack
 * refers to it. It stores nothing, so it can be deleted and deployed again at any time.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, watched, ...props }: WatchStackProps) {
    super(scope, id, { ...props, description: "Trading terminal: the alarms and the dashboard" });
    // Avoids exports: CloudFormation would refuse to remove or replace anything that this stack imports.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const topics = alarmTopicsOf(configuration);
    const { budgetDollars, hostUnitsPerDay } = configuration;
    const hasJupiter = configuration.trading.sol?.jupiter !== undefined;
    new Alarms(this, "Alarms", watched, { ...topics, hostUnitsPerDay, hasJupiter });
    if (budgetDollars !== undefined && topics.ticket !== undefined)
      addBudget(this, budgetDollars, topics.ticket);
    const chains = tradingChains.filter((chain) => configuration.trading[chain] !== undefined);
    new TerminalDashboard(this, "Dashboard", watched, chains);
  }
}

/** Notifies a topic once the account's costs of a month reach a share of the budget, or are forecast to reach it. */
function addBudget(scope: Construct, dollars: number, topicArn: string): void {
  const at = (notificationType: "ACTUAL" | "FORECASTED", threshold: number) => ({
    notification: {
      notificationType,
      comparisonOperator: "GREATER_THAN",
      threshold,
      thresholdType: "PERCENTAGE",
    },
    subscribers: [{ subscriptionType: "SNS", address: topicArn }],
  });
  new CfnBudget(scope, "Budget", {
    budget: {
      budgetType: "COST",
      timeUnit: "MONTHLY",
      budgetLimit: { amount: dollars, unit: "USD" },
    },
    notificationsWithSubscribers: [at("ACTUAL", 80), at("ACTUAL", 100), at("FORECASTED", 100)],
  });
}
