import type { Network } from "trading-terminal-client";
import { type Explored, explorerPage } from "./explorers.ts";
import { shortened } from "./format.ts";
import { useLinks } from "./links.ts";

type LinkProps = { network: Network; kind: Explored; id: string; text?: string };

/** Links a shortened id to its chain's explorer. By default, a local chain has no explorer. */
export function ExploredLink({ network, kind, id, text = shortened(id) }: LinkProps) {
  const { explorers = {} } = useLinks();
  const page = explorerPage(explorers, network, kind, id);
  if (page === undefined) return <span title={id}>{text}</span>;
  return (
    <a href={page} title={id} rel="noopener noreferrer" target="_blank">
      {text}
    </a>
  );
}
