// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface V2 {
    function getPair(address a, address b) external view returns (address);
    function getAmountsOut(uint256 amountIn, address[] calldata path) external view returns (uint256[] memory);
}

interface V3 {
    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function getPool(address a, address b, uint24 fee) external view returns (address);
    function quoteExactInputSingle(Question calldata question)
        external
        returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticks, uint256 gas);
}

/// Slipstream: v3 with a tick spacing in place of the fee.
interface Slipstream {
    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        int24 tickSpacing;
        uint160 sqrtPriceLimitX96;
    }

    function getPool(address a, address b, int24 tickSpacing) external view returns (address);
    function quoteExactInputSingle(Question calldata question)
        external
        returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticks, uint256 gas);
}

/// Pools of bins.
interface Bins {
    function getLBPairInformation(address a, address b, uint256 binStep)
        external
        view
        returns (uint256 step, address pair, bool isOwners, bool isIgnored);
    function getTokenX() external view returns (address);
    function getSwapOut(uint128 amountIn, bool isForY)
        external
        view
        returns (uint128 amountInLeft, uint128 amountOut, uint128 fee);
}

/// The gas does not suffice for all questions. The same ones can be asked in smaller parts at this block.
error ShortOfGas(uint256 blockNumber);

/// Quotes paths of one or two pools, each for several amounts. It is never deployed: its constructor runs in an
/// `eth_call` without a recipient, and its answer takes the place of the code. The answer consists of words: the block's
/// number and time, then for each path its pools, and the amount that it pays for each amount.
contract PoolQuoter {
    enum Kind {
        V3,
        V2,
        Slipstream,
        Bins
    }

    struct Venue {
        Kind kind;
        address factory;
        /// The router of a v2 venue. Pools of bins need none.
        address quoter;
    }

    /// A quote of v3 runs the token's code, and a pool without liquidity looks for some at all prices. Either may burn
    /// this gas, and no more.
    uint256 private constant questionGas = 700_000;

    /// The price of a word of the answer, as that of code.
    uint256 private constant wordGas = 32 * 200;

    /// Stands for the amount of a path without such a pool, or with one that fails or would run dry.
    uint256 private constant nothing = type(uint256).max;

    /// The prices at which a v3 pool has run dry.
    uint160 private constant lowest = 4295128740;
    uint160 private constant highest = 1461446703485210103287273052203988822378723970341;

    /// The least gas before a question: for it, for the answer, and for all that comes between questions.
    uint256 private immutable leastGas;

    /// @param paths From the highest bit: 32 empty bits, then the venue (8 bits) and the tier (24 bits) of the first
    /// pool, both of the second pool, and the token in between, which is 0 without a second pool. A tier is a fee in
    /// hundredths of a basis point, a tick spacing or a bin step.
    constructor(
        uint256[] memory amounts,
        address from,
        address to,
        Venue[] memory venues,
        uint256[] memory paths
    ) {
        uint256[] memory answer = new uint256[](2 + paths.length * (2 + amounts.length));
        leastGas = 2 * questionGas + wordGas * answer.length;
        (answer[0], answer[1]) = (block.number, block.timestamp);
        uint256 place = 2;
        for (uint256 index = 0; index < paths.length; index++) {
            (Pool memory first, Pool memory second) = poolsOf(venues, paths[index], from, to);
            answer[place++] = uint160(first.pool);
            answer[place++] = uint160(second.pool);
            for (uint256 number = 0; number < amounts.length; number++)
                answer[place++] = amountOver(first, second, amounts[number]);
        }
        assembly {
            return(add(answer, 32), mul(mload(answer), 32))
        }
    }

    struct Pool {
        Venue venue;
        uint24 tier;
        address tokenIn;
        address tokenOut;
        address pool;
    }

    function poolsOf(Venue[] memory venues, uint256 path, address from, address to)
        private
        returns (Pool memory first, Pool memory second)
    {
        address over = address(uint160(path));
        first = poolOf(venues, path >> 192, from, over == address(0) ? to : over);
        if (over != address(0)) second = poolOf(venues, path >> 160, over, to);
    }

    function amountOver(Pool memory first, Pool memory second, uint256 amountIn) private returns (uint256) {
        bool isDirect = second.tokenOut == address(0);
        if (!isDirect && second.pool == address(0)) return nothing;
        uint256 between = amountOut(first, amountIn);
        return isDirect ? between : amountOut(second, between);
    }

    function poolOf(Venue[] memory venues, uint256 packed, address a, address b)
        private
        returns (Pool memory)
    {
        Venue memory venue = venues[uint8(packed >> 24)];
        uint24 tier = uint24(packed);
        bool isBins = venue.kind == Kind.Bins;
        (uint256 count, uint256[4] memory words) = ask(venue.factory, poolCall(venue.kind, tier, a, b));
        address pool = count == (isBins ? 4 : 1) ? address(uint160(words[isBins ? 1 : 0])) : address(0);
        return Pool(venue, tier, a, b, pool);
    }

    function poolCall(Kind kind, uint24 tier, address a, address b) private pure returns (bytes memory) {
        if (kind == Kind.V2) return abi.encodeCall(V2.getPair, (a, b));
        if (kind == Kind.V3) return abi.encodeCall(V3.getPool, (a, b, tier));
        if (kind == Kind.Slipstream) return abi.encodeCall(Slipstream.getPool, (a, b, int24(tier)));
        return abi.encodeCall(Bins.getLBPairInformation, (a, b, tier));
    }

    function amountOut(Pool memory pool, uint256 amountIn) private returns (uint256) {
        if (pool.pool == address(0)) return nothing;
        if (amountIn == nothing || amountIn == 0) return amountIn;
        Kind kind = pool.venue.kind;
        if (kind == Kind.V2) return amountOfV2(pool, amountIn);
        if (kind == Kind.Bins) return amountOfBins(pool, amountIn);
        bytes memory question = kind == Kind.V3
            ? abi.encodeCall(
                V3.quoteExactInputSingle, (V3.Question(pool.tokenIn, pool.tokenOut, amountIn, pool.tier, 0))
            )
            : abi.encodeCall(
                Slipstream.quoteExactInputSingle,
                (Slipstream.Question(pool.tokenIn, pool.tokenOut, amountIn, int24(pool.tier), 0))
            );
        (uint256 count, uint256[4] memory words) = ask(pool.venue.quoter, question);
        bool isDry = words[1] == (pool.tokenIn < pool.tokenOut ? lowest : highest);
        return count < 2 || isDry ? nothing : words[0];
    }

    function amountOfV2(Pool memory pool, uint256 amountIn) private returns (uint256) {
        address[] memory path = new address[](2);
        (path[0], path[1]) = (pool.tokenIn, pool.tokenOut);
        (uint256 count, uint256[4] memory words) =
            ask(pool.venue.quoter, abi.encodeCall(V2.getAmountsOut, (amountIn, path)));
        return count == 4 ? words[3] : nothing;
    }

    function amountOfBins(Pool memory pool, uint256 amountIn) private returns (uint256) {
        if (amountIn > type(uint128).max) return nothing;
        (uint256 count, uint256[4] memory words) = ask(pool.pool, abi.encodeCall(Bins.getTokenX, ()));
        if (count != 1) return nothing;
        bool isForY = address(uint160(words[0])) == pool.tokenIn;
        (count, words) = ask(pool.pool, abi.encodeCall(Bins.getSwapOut, (uint128(amountIn), isForY)));
        // What is left over would make the swap fail.
        return count == 3 && words[0] == 0 ? words[1] : nothing;
    }

    /// Asks a contract. It gets its gas in full, so that it fails for no lack of gas that others have burnt. A long
    /// answer is not copied, since memory costs gas, too.
    /// @return count The number of words of the answer, of which at most four are copied. 0 for a failure.
    function ask(address to, bytes memory question)
        private
        returns (uint256 count, uint256[4] memory words)
    {
        if (gasleft() < leastGas) revert ShortOfGas(block.number);
        assembly {
            if call(questionGas, to, 0, add(question, 32), mload(question), words, 128) {
                count := div(returndatasize(), 32)
            }
        }
    }
}
