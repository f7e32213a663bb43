import { Duration, Stack } from "aws-cdk-lib";
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { type OperationName, operations } from "../../operations/operations.ts";
import type { Operation } from "../../operations/types.ts";
import { RetainedLogGroup } from "../monitoring/access-log.ts";
import { isDeployed } from "../openings.ts";
import type { ReservedRuns } from "../runs-context.ts";
import { Walls } from "../walls/walls.ts";
import { bundledCode } from "./bundled-code.ts";
import { FunctionStack, functionStackOf } from "./function-stack.ts";
import { functionArnOf, functionNameOf, hasNamedFunction } from "./named-roles.ts";
import { type InvokedFunction, OperationRole, type Resources } from "./operation-role.ts";
import { checking, transactionPartitionsOf } from "./transactions.ts";
import { type Environment, variablesOf } from "./variables.ts";

type Surroundings = Resources & {
  environment: Environment;
  /** Memory of functions for which it differs from that of their rows. */
  memoryMB: Readonly<Partial<Record<OperationName, number>>>;
};

type Deployment = Surroundings & {
  /** Rows whose functions run in a network without a route to the internet. */
  inside: readonly OperationName[];
  /** Runs that Lambda keeps for single functions. */
  reservedRuns: ReservedRuns;
  /** Two availability zones for the network of functions that open wallets. If undefined, AWS's list decides. */
  zones: readonly string[] | undefined;
};

/** Functions that a row invokes, by row name. */
type Invoked = Readonly<Partial<Record<Operation["invokes"][number], InvokedFunction>>>;

type OperationFunctionProps = Surroundings & {
  row: Operation;
  invoked: Invoked;
  /** Network of the function. If undefined, the function runs outside any VPC. */
  walls: Walls | undefined;
  /** Runs that Lambda keeps for the function, which cannot have more. If undefined, it shares the others. */
  reserved: number | undefined;
};

/** Functions of all rows that are deployed. */
export class OperationFunctions extends Construct {
  readonly #surroundings: Surroundings;
  readonly #walls: Walls | undefined;
  readonly #reservedRuns: ReservedRuns;
  readonly #made = new Map<OperationName, OperationFunction>();

  constructor(scope: Construct, id: string, { inside, zones, reservedRuns, ...surroundings }: Deployment) {
    super(scope, id);
    this.#reservedRuns = reservedRuns;
    this.#surroundings = surroundings;
    // Puts the network into the stack of its functions, so that CloudFormation deletes the functions first.
    const [first] = inside;
    this.#walls = first && new Walls(this.#stackOf(first), "Walls", { inside, zones, ...surroundings });
  }

  has(name: OperationName): boolean {
    return isDeployed(this.#surroundings.openings, operations[name]);
  }

  /** Returns the function of a row. The first call creates it, after the functions that it invokes. */
  get(name: OperationName): OperationFunction {
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    if (!this.has(name)) throw new Error(`The function ${name} is not deployed`);
    const row: Operation = operations[name];
    const others = row.invokes.filter((other) => this.has(other));
    const invoked = Object.fromEntries(others.map((other) => [other, this.#invocable(other)]));
    const walls = row.opensWallets ? this.#walls : undefined;
    const operation = new OperationFunction(this.#stackOf(name), name, {
      row,
      invoked,
      walls,
      reserved: this.#reservedRuns[name],
      ...this.#surroundings,
    });
    this.#made.set(name, operation);
    return operation;
  }

  #invocable(name: OperationName): InvokedFunction {
    if (!hasNamedFunction(name)) return this.get(name).lambda;
    return {
      functionName: functionNameOf(this, name),
      functionArn: functionArnOf(this, name),
    };
  }

  #stackOf(name: OperationName): Stack {
    const id = functionStackOf(name);
    if (id === undefined) return Stack.of(this);
    return (this.node.tryFindChild(id) as FunctionStack | undefined) ?? new FunctionStack(this, id);
  }

  /** Returns all functions, in the order of THE TABLE. */
  all(): OperationFunction[] {
    const names = (Object.keys(operations) as OperationName[]).filter((name) => this.has(name));
    return names.map((name) => this.get(name));
  }
}

/** The Lambda function for one row of the table of operations, with its own role and log group. */
export class OperationFunction extends Construct {
  readonly name: OperationName;
  readonly row: Operation;
  readonly lambda: LambdaFunction;

  constructor(
    scope: Construct,
    name: OperationName,
    { row, invoked, walls, reserved, environment, memoryMB, ...resources }: OperationFunctionProps,
  ) {
    super(scope, name);
    this.name = name;
    this.row = row;

    const { table, leadingKeys, key, importKeys, macKey, childMacKey, stage } = resources;
    const { inBundle, inFunction } = variablesOf(row, environment);
    const logGroup = new RetainedLogGroup(this, "Log");
    this.lambda = new LambdaFunction(this, "Function", {
      ...(hasNamedFunction(name) && { functionName: functionNameOf(scope, name) }),
      description: row.summary,
      code: bundledCode(name, inBundle),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMB[name] ?? row.memoryMB,
      // Reserves no concurrency by default, because it would be taken from the account's other functions, and the
      // account's limit may be as low as 10. For mirrorPlans, none is needed: one run per shard of the table's stream is
      // active, and the SDK slows down if API Gateway throttles it.
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      timeout: Duration.seconds(row.timeoutSeconds),
      // Lambda would stop a function that starts itself at the 16th run in a row, though each run replaces another.
      ...(row.invokes.some((other) => other === name) && { recursiveLoop: RecursiveLoop.ALLOW }),
      environment: {
        ...(row.table.length > 0 && { TABLE_NAME: table.tableName }),
        ...(row.table.includes(checking) && {
          TRANSACTION_PARTITIONS: transactionPartitionsOf(row, leadingKeys)?.join() ?? "",
        }),
        ...(row.key.length > 0 && { KEY_ID: key.keyArn }),
        ...(row.importKeys.length > 0 && { IMPORT_KEYS: importKeys.map(({ keyArn }) => keyArn).join() }),
        ...(row.mac.length > 0 && macKey && { MAC_KEY_ID: macKey.keyArn }),
        ...(row.childMac.length > 0 && childMacKey && { CHILD_MAC_KEY_ID: childMacKey.keyArn }),
        // Sets the endpoint with a variable that the SDK itself reads, so that no code needs to pass it on.
        ...(row.connections.length > 0 && { AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: stage.callbackUrl }),
        ...(invoked.deliver && { DELIVER_FUNCTION: invoked.deliver.functionName }),
        ...(invoked.catchUp && { CATCH_UP_FUNCTION: invoked.catchUp.functionName }),
        ...(invoked.feedPrices && { FEED_PRICES_FUNCTION: invoked.feedPrices.functionName }),
        // Sets an empty name if trading is off.
        ...(row.invokes.includes("executeOrders") && {
          EXECUTE_ORDERS_FUNCTION: invoked.executeOrders?.functionName ?? "",
        }),
        ...(row.invokes.includes("fireOrders") && {
          FIRE_ORDERS_FUNCTION: invoked.fireOrders?.functionName ?? "",
        }),
        ...(invoked.watchTriggers && { WATCH_TRIGGERS_FUNCTION: invoked.watchTriggers.functionName }),
        ...(invoked.readChains && { READ_CHAINS_FUNCTION: invoked.readChains.functionName }),
        // Sets an empty name if markets are off.
        ...(row.invokes.includes("readMarkets") && {
          READ_MARKETS_FUNCTION: invoked.readMarkets?.functionName ?? "",
        }),
        ...(invoked.loadHistory && { LOAD_HISTORY_FUNCTION: invoked.loadHistory.functionName }),
        ...(invoked.loosenGuards && { LOOSEN_GUARDS_FUNCTION: invoked.loosenGuards.functionName }),
        ...(invoked.sealExport && { SEAL_EXPORT_FUNCTION: invoked.sealExport.functionName }),
        ...(invoked.signTransaction && { SIGN_TRANSACTION_FUNCTION: invoked.signTransaction.functionName }),
        ...walls?.environment,
        ...inFunction,
      },
      ...walls?.placeOf(name),
      role: new OperationRole(this, "Role", {
        name,
        row,
        walls,
        invoked: Object.values(invoked),
        logGroup,
        ...resources,
      }),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    // Creates the function after its network, because only the complete network blocks the lookup of other hosts.
    if (walls) this.lambda.node.addDependency(walls);
  }
}
