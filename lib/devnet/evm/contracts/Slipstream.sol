// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface V3Factory {
    function getPool(address a, address b, uint24 fee) external view returns (address);
}

interface V3Pool {
    function swap(address recipient, bool isFirstIn, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 first, int256 second);
}

interface V3Quoter {
    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function quoteExactInputSingle(Question calldata question)
        external
        returns (uint256, uint160, uint32, uint256);
}

interface Coin {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
    function balanceOf(address account) external view returns (uint256);
}

/// Stands in for Slipstream's factory: it finds pools of Uniswap v3 by their tick spacing.
contract SlipstreamFactory {
    V3Factory private immutable pools;

    /// Fees in hundredths of a basis point. Like Slipstream's, they are not the usual fees of the spacings.
    mapping(int24 tickSpacing => uint24) public feeOf;

    /// Sets of contracts share the factory of pools, and each pool belongs to the set that uses its fee.
    constructor(V3Factory pools_, int24[2] memory spacings, uint24[2] memory fees) {
        pools = pools_;
        (feeOf[spacings[0]], feeOf[spacings[1]]) = (fees[0], fees[1]);
    }

    function getPool(address a, address b, int24 tickSpacing) external view returns (address) {
        uint24 fee = feeOf[tickSpacing];
        return fee == 0 ? address(0) : pools.getPool(a, b, fee);
    }
}

/// Stands in for Slipstream's quoter.
contract SlipstreamQuoter {
    struct Question {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        int24 tickSpacing;
        uint160 sqrtPriceLimitX96;
    }

    SlipstreamFactory public immutable factory;
    address public immutable WETH9;
    V3Quoter private immutable quoter;

    constructor(SlipstreamFactory factory_, address wrapped, V3Quoter quoter_) {
        (factory, WETH9, quoter) = (factory_, wrapped, quoter_);
    }

    function quoteExactInputSingle(Question calldata question)
        external
        returns (uint256, uint160, uint32, uint256)
    {
        return quoter.quoteExactInputSingle(
            V3Quoter.Question(
                question.tokenIn,
                question.tokenOut,
                question.amountIn,
                factory.feeOf(question.tickSpacing),
                question.sqrtPriceLimitX96
            )
        );
    }
}

/// Stands in for Slipstream's router, with the functions and the rules that its interface publishes: the minimum is
/// compared with the payment of the last pool, recipient 0 is the router, and each swap has a deadline.
contract SlipstreamRouter {
    struct Single {
        address tokenIn;
        address tokenOut;
        int24 tickSpacing;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    struct Several {
        bytes path;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
    }

    struct Hop {
        address tokenIn;
        address tokenOut;
        int24 tickSpacing;
        address payer;
    }

    SlipstreamFactory public immutable factory;
    address public immutable WETH9;

    constructor(SlipstreamFactory factory_, address wrapped) {
        (factory, WETH9) = (factory_, wrapped);
    }

    receive() external payable {
        require(msg.sender == WETH9, "NW9");
    }

    function multicall(bytes[] calldata calls) external payable returns (bytes[] memory answers) {
        answers = new bytes[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            (bool isOk, bytes memory answer) = address(this).delegatecall(calls[index]);
            if (!isOk) {
                assembly {
                    revert(add(answer, 32), mload(answer))
                }
            }
            answers[index] = answer;
        }
    }

    modifier until(uint256 deadline) {
        require(block.timestamp <= deadline, "Transaction too old");
        _;
    }

    function exactInputSingle(Single calldata swap)
        external
        payable
        until(swap.deadline)
        returns (uint256 amountOut)
    {
        require(swap.sqrtPriceLimitX96 == 0, "The stand-in knows no limits");
        Hop memory hop = Hop(swap.tokenIn, swap.tokenOut, swap.tickSpacing, msg.sender);
        amountOut = swapBy(hop, swap.amountIn, swap.recipient);
        require(amountOut >= swap.amountOutMinimum, "Too little received");
        refundETH();
    }

    function exactInput(Several calldata swap)
        external
        payable
        until(swap.deadline)
        returns (uint256 amountOut)
    {
        amountOut = swap.amountIn;
        bytes calldata path = swap.path;
        address payer = msg.sender;
        while (path.length > 20) {
            bool isLast = path.length == 43;
            Hop memory hop = Hop(
                address(bytes20(path[:20])), address(bytes20(path[23:43])), int24(uint24(bytes3(path[20:23]))), payer
            );
            amountOut = swapBy(hop, amountOut, isLast ? swap.recipient : address(this));
            payer = address(this);
            path = path[23:];
        }
        require(amountOut >= swap.amountOutMinimum, "Too little received");
        refundETH();
    }

    function swapBy(Hop memory hop, uint256 amountIn, address recipient) private returns (uint256) {
        bool isFirstIn = hop.tokenIn < hop.tokenOut;
        (int256 first, int256 second) = poolOf(hop).swap(
            recipient == address(0) ? address(this) : recipient,
            isFirstIn,
            int256(amountIn),
            isFirstIn ? 4295128740 : 1461446703485210103287273052203988822378723970341,
            abi.encode(hop)
        );
        return uint256(-(isFirstIn ? second : first));
    }

    function poolOf(Hop memory hop) private view returns (V3Pool) {
        return V3Pool(factory.getPool(hop.tokenIn, hop.tokenOut, hop.tickSpacing));
    }

    function uniswapV3SwapCallback(int256 first, int256 second, bytes calldata data) external {
        Hop memory hop = abi.decode(data, (Hop));
        require(msg.sender == address(poolOf(hop)), "Not a pool");
        uint256 amount = uint256(first > 0 ? first : second);
        if (hop.tokenIn == WETH9 && address(this).balance >= amount) {
            Coin(WETH9).deposit{value: amount}();
            callToken(hop.tokenIn, abi.encodeWithSignature("transfer(address,uint256)", msg.sender, amount));
        } else if (hop.payer == address(this)) {
            callToken(hop.tokenIn, abi.encodeWithSignature("transfer(address,uint256)", msg.sender, amount));
        } else {
            callToken(
                hop.tokenIn,
                abi.encodeWithSignature("transferFrom(address,address,uint256)", hop.payer, msg.sender, amount)
            );
        }
    }

    /// Tokens may return nothing.
    function callToken(address token, bytes memory call) private {
        (bool isOk, bytes memory answer) = token.call(call);
        require(isOk && (answer.length == 0 || abi.decode(answer, (bool))), "STF");
    }

    function unwrapWETH9(uint256 amountMinimum, address recipient) external payable {
        uint256 amount = Coin(WETH9).balanceOf(address(this));
        require(amount >= amountMinimum, "IW");
        Coin(WETH9).withdraw(amount);
        pay(recipient, amount);
    }

    /// Gives anyone what the router has of a token.
    function sweepToken(address token, uint256 amountMinimum, address recipient) external payable {
        uint256 amount = Coin(token).balanceOf(address(this));
        require(amount >= amountMinimum, "IT");
        if (amount > 0) callToken(token, abi.encodeWithSignature("transfer(address,uint256)", recipient, amount));
    }

    function refundETH() public payable {
        if (address(this).balance > 0) pay(msg.sender, address(this).balance);
    }

    function pay(address recipient, uint256 amount) private {
        (bool isOk,) = recipient.call{value: amount}("");
        require(isOk, "STE");
    }
}
