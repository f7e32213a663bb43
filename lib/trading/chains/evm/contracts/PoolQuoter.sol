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

/// Quotes paths of one or two pools, each for several amounts. It is never deployed: its constructor runs in an
/// `eth_call` without a recipient, and its answer takes the place of the code. The answer consists of words: the block's
/// number and time, then for each path its pools, and the amount that it pays for each amount.
contract PoolQuoter {
    struct Venue {
        bool isV2;
        address factory;
        /// The router of a v2 venue.
        address quoter;
    }

    /// A quote of v3 runs the token's code, and a pool without liquidity looks for some at all prices. Either may burn
    /// this gas, and no more.
    uint256 private constant quoteGas = 700_000;

    /// Stands for the amount of a path without such a pool, or with one that fails or would run dry.
    uint256 private constant nothing = type(uint256).max;

    /// The prices at which a v3 pool has run dry.
    uint160 private constant lowest = 4295128740;
    uint160 private constant highest = 1461446703485210103287273052203988822378723970341;

    /// @param paths From the highest bit: 32 empty bits, then the venue (8 bits) and the fee (24 bits) of the first
    /// pool, both of the second pool, and the token in between, which is 0 without a second pool. Fees are in hundredths
    /// of a basis point.
    constructor(
        uint256[] memory amounts,
        address from,
        address to,
        Venue[] memory venues,
        uint256[] memory paths
    ) {
        uint256[] memory answer = new uint256[](2 + paths.length * (2 + amounts.length));
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
        uint24 fee;
        address tokenIn;
        address tokenOut;
        address pool;
    }

    function poolsOf(Venue[] memory venues, uint256 path, address from, address to)
        private
        view
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
        view
        returns (Pool memory)
    {
        Venue memory venue = venues[uint8(packed >> 24)];
        uint24 fee = uint24(packed);
        bytes memory call =
            venue.isV2 ? abi.encodeCall(V2.getPair, (a, b)) : abi.encodeCall(V3.getPool, (a, b, fee));
        (bool isOk, bytes memory data) = venue.factory.staticcall(call);
        address pool = isOk && data.length == 32 ? address(uint160(wordAt(data, 0))) : address(0);
        return Pool(venue, fee, a, b, pool);
    }

    function amountOut(Pool memory pool, uint256 amountIn) private returns (uint256) {
        if (pool.pool == address(0)) return nothing;
        if (amountIn == nothing || amountIn == 0) return amountIn;
        address quoter = pool.venue.quoter;
        if (pool.venue.isV2) {
            address[] memory path = new address[](2);
            (path[0], path[1]) = (pool.tokenIn, pool.tokenOut);
            (bool isDone, bytes memory amounts) =
                quoter.staticcall(abi.encodeCall(V2.getAmountsOut, (amountIn, path)));
            return isDone && amounts.length == 128 ? wordAt(amounts, 3) : nothing;
        }
        // The rest of the gas must do for the answer.
        if (gasleft() < 2 * quoteGas) return nothing;
        V3.Question memory question = V3.Question(pool.tokenIn, pool.tokenOut, amountIn, pool.fee, 0);
        (bool isOk, bytes memory data) = quoter.call{gas: quoteGas}(abi.encodeCall(V3.quoteExactInputSingle, (question)));
        if (!isOk || data.length < 64) return nothing;
        bool isDry = wordAt(data, 1) == (pool.tokenIn < pool.tokenOut ? lowest : highest);
        return isDry ? nothing : wordAt(data, 0);
    }

    function wordAt(bytes memory data, uint256 index) private pure returns (uint256 word) {
        assembly {
            word := mload(add(add(data, 32), mul(index, 32)))
        }
    }
}
