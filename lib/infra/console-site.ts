import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  AssetHashType,
  Aws,
  DockerImage,
  Duration,
  Names,
  RemovalPolicy,
  Stack,
  Validations,
} from "aws-cdk-lib";
import {
  type BehaviorOptions,
  CachePolicy,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { S3BucketOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type IBucket,
} from "aws-cdk-lib/aws-s3";
import { BucketDeployment, CacheControl, Source } from "aws-cdk-lib/aws-s3-deployment";
import { Construct } from "constructs";
import { consolePath, hashedFolder, pagePolicy, writeConsole } from "trading-terminal-console";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { Configuration } from "./configuration.ts";
import { poolOrigins } from "./data/user-directory.ts";
import { docsPages, docsPath, llmsPath } from "./docs-pages.ts";
import { root } from "./functions/bundle.ts";
import { retained } from "./retained.ts";

/** Settings with which the page signs users in, and sites to which it links. It reads them as `config.json`. */
export type PageConfig = {
  issuer: string;
  clientId: string;
  scope: string;
  /** Audience of the tokens, if the issuer must be asked for it. */
  audience?: string;
  explorers: Configuration["consoleExplorers"];
  docs?: string;
};

export type ConsoleSiteProps = {
  config: PageConfig;
  /** Origins that the page may call, apart from its own. */
  origins: readonly string[];
};

export type ConsoleConfiguration = Pick<
  Configuration,
  "consoleClientId" | "consoleDocs" | "consoleExplorers" | "consoleOrigins" | "consoleScope" | "issuer"
>;

/**
 * Makes the console sign users in at the issuer of the APIs' tokens, as the client that the context names, or else as
 * the one that the tokens are for.
 */
export function consoleSiteProps(
  { consoleClientId, consoleOrigins, consoleScope, issuer: chosen, ...links }: ConsoleConfiguration,
  { issuer, audience }: Pick<Issuer, "issuer" | "audience">,
): ConsoleSiteProps {
  const clientId = consoleClientId ?? audience;
  const issuerOrigins = chosen ? [new URL(chosen.issuer).origin] : poolOrigins;
  const { consoleExplorers: explorers, consoleDocs: docs } = links;
  return {
    config: {
      issuer,
      clientId,
      scope: consoleScope,
      ...(clientId !== audience && { audience }),
      explorers,
      ...(docs !== undefined && { docs }),
    },
    origins: [...new Set([...issuerOrigins, ...consoleOrigins])],
  };
}

/** Logical name that CDK gives to the function of all its deployments of files. */
const deploymentFunction = "Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C";

/**
 * Answers each path below the console's that names no file with its page, and sends browsers there from `/console`.
 * Agents find llms.txt at the root.
 */
const toPage = `function handler(event) {
  var request = event.request;
  if (request.uri === "${consolePath}")
    return {
      statusCode: 308,
      statusDescription: "Permanent Redirect",
      headers: { location: { value: "${consolePath}/" } },
    };
  if (request.uri === "${llmsPath}") request.uri = "${docsPath}${llmsPath}";
  if (request.uri.startsWith("${consolePath}/") && !request.uri.includes("."))
    request.uri = "${consolePath}/index.html";
  return request;
}
`;

/**
 * The console and the documents for programs: their files in a bucket that only the distribution can read, and how the
 * distribution serves them. The console's files with hashed names come first and stay, so that each page, also one of an
 * earlier build, finds its own.
 */
export class ConsoleSite extends Construct {
  /** The behavior of the distribution at each path of the console and the documents. */
  readonly behaviors: Readonly<Record<string, BehaviorOptions>>;

  constructor(scope: Construct, id: string, { config, origins }: ConsoleSiteProps) {
    super(scope, id);
    // Asserts the type, because CDK's own types differ in an optional property.
    const bucket = new Bucket(this, "Files", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: retained,
    }) as IBucket;
    Validations.of(bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "The bucket has only the files of a public page, which only the distribution can read.",
    });

    const build = builtFolder("lib/console/app", writeConsole);
    const common = {
      destinationBucket: bucket,
      logGroup: new LogGroup(this, "DeploymentLogs", {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    };
    const to = { ...common, destinationKeyPrefix: consolePath.slice(1) };
    const hashed = new BucketDeployment(this, "HashedFiles", {
      ...to,
      sources: [build],
      exclude: ["*"],
      include: [`${hashedFolder}/*`],
      cacheControl: [CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()],
      prune: false,
    });
    const page = new BucketDeployment(this, "Page", {
      ...to,
      sources: [build, Source.jsonData("config.json", config)],
      exclude: [`${hashedFolder}/*`],
      cacheControl: [CacheControl.noCache()],
    });
    page.node.addDependency(hashed);
    const documents = {
      ...common,
      destinationKeyPrefix: docsPath.slice(1),
      sources: [builtFolder("docs", writeDocs)],
      cacheControl: [CacheControl.noCache()],
    };
    // Names the charset, which the guessed type of a file lacks.
    const contentType = "text/markdown; charset=utf-8";
    new BucketDeployment(this, "Docs", { ...documents, exclude: ["*.json"], contentType });
    new BucketDeployment(this, "Descriptions", { ...documents, exclude: ["*"], include: ["*.json"] });
    acknowledgeDeploymentFunction(Stack.of(this), bucket);

    // Differs from region to region, because names of CloudFront's resources are global.
    const name = `${Aws.REGION}-${Names.uniqueResourceName(this, { maxLength: 40 })}`;
    const behavior: BehaviorOptions = {
      origin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originAccessControl: new S3OriginAccessControl(this, "Access", { originAccessControlName: name }),
      }),
      // Keeps files for as long as their Cache-Control says, and compresses them.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      responseHeadersPolicy: this.headers(name, origins),
      functionAssociations: [
        {
          eventType: FunctionEventType.VIEWER_REQUEST,
          function: new EdgeFunction(this, "ToPage", {
            comment: "Answers all paths of the console with its page",
            code: FunctionCode.fromInline(toPage),
            runtime: FunctionRuntime.JS_2_0,
          }),
        },
      ],
    };
    const paths = [consolePath, `${consolePath}/*`, `${docsPath}/*`, llmsPath];
    this.behaviors = Object.fromEntries(paths.map((path) => [path, behavior]));
  }

  private headers(responseHeadersPolicyName: string, origins: readonly string[]): ResponseHeadersPolicy {
    const override = true;
    return new ResponseHeadersPolicy(this, "Headers", {
      responseHeadersPolicyName,
      comment: "Trading terminal: headers of the console",
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: `${pagePolicy(origins)}; frame-ancestors 'none'`,
          override,
        },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override },
        contentTypeOptions: { override },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override },
      },
      customHeadersBehavior: {
        customHeaders: [{ header: "Cross-Origin-Opener-Policy", value: "same-origin", override }],
      },
    });
  }
}

/** Writes a folder in this process when CDK stages the asset. */
const builtFolder = (source: string, write: (folder: string) => void) =>
  Source.asset(resolve(root, source), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry("the files are written in this process, never in Docker"),
      local: {
        tryBundle(outputDir) {
          write(outputDir);
          return true;
        },
      },
    },
  });

const writeDocs = (folder: string) => {
  for (const [name, text] of docsPages()) writeFileSync(join(folder, name), text);
};

/** Patterns in the rights by which CDK's function reads CDK's assets and writes to the bucket of the console. */
const deploymentPatterns = [
  ...["GetBucket", "GetObject", "List", "Abort", "DeleteObject"].map((action) => `Action::s3:${action}*`),
  "Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*",
];

function acknowledgeDeploymentFunction(stack: Stack, bucket: IBucket): void {
  const own = `Resource::<${stack.getLogicalId(bucket.node.defaultChild as CfnBucket)}.Arn>/*`;
  Validations.of(stack.node.findChild(deploymentFunction)).acknowledge(
    { id: "AwsSolutions-L1", reason: "CDK chooses the runtime of its own function." },
    {
      id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
      reason: "CDK's own function writes its logs by AWS's managed policy.",
    },
    ...[...deploymentPatterns, own].map((pattern) => ({
      id: `AwsSolutions-IAM5[${pattern}]`,
      reason:
        "CDK's own function reads CDK's assets and writes to the bucket of the console, and to no other.",
    })),
  );
}
