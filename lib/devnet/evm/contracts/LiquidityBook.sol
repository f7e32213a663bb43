// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface Asset {
    function balanceOf(address account) external view returns (uint256);
}

interface WrappedCoin {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// Tokens may return nothing.
library Pay {
    function callToken(address token, bytes memory call) private {
        (bool isOk, bytes memory answer) = token.call(call);
        require(isOk && (answer.length == 0 || abi.decode(answer, (bool))), "The token refuses");
    }

    function send(address token, address to, uint256 amount) internal {
        callToken(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    function pull(address token, address from, address to, uint256 amount) internal {
        callToken(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
    }
}

/// Stands in for a pool of LFJ's Liquidity Book: bins with one price each, a fee of one step, and no fee of the
/// protocol. A real pool's fee also rises with the number of bins that trades have crossed of late.
contract BinPool {
    event Swap(
        address indexed sender,
        address indexed to,
        uint24 id,
        bytes32 amountsIn,
        bytes32 amountsOut,
        uint24 volatilityAccumulator,
        bytes32 totalFees,
        bytes32 protocolFees
    );

    error LBPair__InsufficientAmountIn();
    error LBPair__OutOfLiquidity();
    error LBPair__InsufficientAmountOut();

    struct Bin {
        uint128 x;
        uint128 y;
    }

    address public immutable getTokenX;
    address public immutable getTokenY;
    uint16 public immutable getBinStep;
    uint24 public getActiveId;
    uint24 private lowest;
    uint24 private highest;
    mapping(uint24 => Bin) public getBin;
    uint256 private heldX;
    uint256 private heldY;

    constructor(address tokenX, address tokenY, uint24 activeId, uint16 step) {
        (getTokenX, getTokenY, getActiveId, getBinStep) = (tokenX, tokenY, activeId, step);
    }

    /// Spreads all that the pool holds evenly: X over the bins from the active one up, Y over those down from it.
    function fill(uint24 reach) external {
        (heldX, heldY) = (Asset(getTokenX).balanceOf(address(this)), Asset(getTokenY).balanceOf(address(this)));
        (lowest, highest) = (getActiveId - reach + 1, getActiveId + reach - 1);
        for (uint24 away = 0; away < reach; away++) {
            getBin[getActiveId + away].x += uint128(heldX / reach);
            getBin[getActiveId - away].y += uint128(heldY / reach);
        }
    }

    /// Price in units of Y for a unit of X, times 2^128.
    function getPriceFromId(uint24 id) public view returns (uint256 price) {
        uint256 factor = (1 << 128) + (uint256(1 << 128) * getBinStep) / 10_000;
        price = 1 << 128;
        bool isAbove = id >= 1 << 23;
        for (uint256 steps = isAbove ? id - (1 << 23) : (1 << 23) - id; steps > 0; steps >>= 1) {
            if (steps & 1 == 1) price = scaled(price, factor);
            factor = scaled(factor, factor);
        }
        if (!isAbove) price = type(uint256).max / price;
    }

    /// Returns a * b / 2^128.
    function scaled(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            (uint256 low, uint256 rest) = (a * b, mulmod(a, b, type(uint256).max));
            uint256 high = rest - low - (rest < low ? 1 : 0);
            return (high << 128) | (low >> 128);
        }
    }

    function feeOn(uint256 amount) private view returns (uint256) {
        return (amount * getBinStep + 9_999) / 10_000;
    }

    /// Trades in one bin as much as it can.
    function tradeIn(uint24 id, bool isForY, uint256 left)
        private
        view
        returns (uint256 taken, uint256 out, uint256 fee)
    {
        uint256 price = getPriceFromId(id);
        uint256 most = isForY ? getBin[id].y : getBin[id].x;
        if (most == 0) return (0, 0, 0);
        fee = feeOn(left);
        out = isForY ? scaled(left - fee, price) : ((left - fee) << 128) / price;
        if (out <= most) return (left, out, fee);
        uint256 net = (isForY ? (most << 128) / price : scaled(most, price)) + 1;
        taken = (net * 10_000) / (10_000 - getBinStep) + 1;
        return taken >= left ? (left, most, fee) : (taken, most, taken - net);
    }

    function getSwapOut(uint128 amountIn, bool isForY)
        external
        view
        returns (uint128 amountInLeft, uint128 amountOut, uint128 fee)
    {
        amountInLeft = amountIn;
        uint24 id = getActiveId;
        while (amountInLeft > 0 && id >= lowest && id <= highest) {
            (uint256 taken, uint256 out, uint256 part) = tradeIn(id, isForY, amountInLeft);
            amountInLeft -= uint128(taken);
            amountOut += uint128(out);
            fee += uint128(part);
            if (amountInLeft > 0) id = isForY ? id - 1 : id + 1;
        }
    }

    function swap(bool isForY, address to) external returns (bytes32 amountsOut) {
        uint256 left = Asset(isForY ? getTokenX : getTokenY).balanceOf(address(this)) - (isForY ? heldX : heldY);
        if (left == 0) revert LBPair__InsufficientAmountIn();
        uint256 sum = 0;
        uint24 id = getActiveId;
        while (true) {
            if (id < lowest || id > highest) revert LBPair__OutOfLiquidity();
            (uint256 taken, uint256 out) = trade(id, isForY, left, to);
            (left, sum) = (left - taken, sum + out);
            if (left == 0) break;
            id = isForY ? id - 1 : id + 1;
        }
        if (sum == 0) revert LBPair__InsufficientAmountOut();
        getActiveId = id;
        Pay.send(isForY ? getTokenY : getTokenX, to, sum);
        (heldX, heldY) = (Asset(getTokenX).balanceOf(address(this)), Asset(getTokenY).balanceOf(address(this)));
        return half(!isForY, sum);
    }

    function trade(uint24 id, bool isForY, uint256 left, address to) private returns (uint256 taken, uint256 out) {
        uint256 fee;
        (taken, out, fee) = tradeIn(id, isForY, left);
        if (taken == 0) return (0, 0);
        Bin storage bin = getBin[id];
        (bin.x, bin.y) = isForY
            ? (bin.x + uint128(taken), bin.y - uint128(out))
            : (bin.x - uint128(out), bin.y + uint128(taken));
        emit Swap(msg.sender, to, id, half(isForY, taken), half(!isForY, out), 0, half(isForY, fee), 0);
    }

    /// Amounts of X are in the lower half of a word.
    function half(bool isX, uint256 amount) private pure returns (bytes32) {
        return bytes32(isX ? amount : amount << 128);
    }
}

/// Stands in for LFJ's factory.
contract BinFactory {
    struct LBPairInformation {
        uint16 binStep;
        address LBPair;
        bool createdByOwner;
        bool ignoredForRouting;
    }

    mapping(bytes32 => LBPairInformation) private pools;

    function keyOf(address a, address b, uint256 step) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b, step)) : keccak256(abi.encode(b, a, step));
    }

    function getLBPairInformation(address a, address b, uint256 step)
        external
        view
        returns (LBPairInformation memory)
    {
        return pools[keyOf(a, b, step)];
    }

    /// Creates a pool with the caller's tokens.
    function createFilled(
        address tokenX,
        address tokenY,
        uint24 activeId,
        uint16 step,
        uint256 amountX,
        uint256 amountY,
        uint24 reach
    ) external {
        BinPool pool = new BinPool(tokenX, tokenY, activeId, step);
        pools[keyOf(tokenX, tokenY, step)] = LBPairInformation(step, address(pool), true, false);
        Pay.pull(tokenX, msg.sender, address(pool), amountX);
        Pay.pull(tokenY, msg.sender, address(pool), amountY);
        pool.fill(reach);
    }
}

/// Stands in for LFJ's router, with the rules that its interface publishes: the minimum is compared with what arrives.
contract BinRouter {
    struct Path {
        uint256[] pairBinSteps;
        uint8[] versions;
        address[] tokenPath;
    }

    error LBRouter__DeadlineExceeded(uint256 deadline, uint256 currentTimestamp);
    error LBRouter__InsufficientAmountOut(uint256 amountOutMin, uint256 amountOut);
    error LBRouter__InvalidTokenPath(address wrongToken);
    error LBRouter__LengthsMismatch();
    error LBRouter__PairNotCreated(address tokenX, address tokenY, uint256 binStep);

    BinFactory public immutable getFactory;
    BinFactory public immutable getFactoryV2_1;
    address public immutable getWNATIVE;

    constructor(BinFactory factory, BinFactory older, address wrapped) {
        (getFactory, getFactoryV2_1, getWNATIVE) = (factory, older, wrapped);
    }

    receive() external payable {
        require(msg.sender == getWNATIVE, "Only the wrapped coin pays");
    }

    modifier checked(Path memory path, uint256 deadline) {
        if (block.timestamp > deadline) revert LBRouter__DeadlineExceeded(deadline, block.timestamp);
        uint256 count = path.pairBinSteps.length;
        if (count == 0 || count != path.versions.length || count + 1 != path.tokenPath.length)
            revert LBRouter__LengthsMismatch();
        _;
    }

    function swapExactNATIVEForTokensSupportingFeeOnTransferTokens(
        uint256 amountOutMin,
        Path memory path,
        address to,
        uint256 deadline
    ) external payable checked(path, deadline) returns (uint256 amountOut) {
        if (path.tokenPath[0] != getWNATIVE) revert LBRouter__InvalidTokenPath(path.tokenPath[0]);
        Asset token = Asset(path.tokenPath[path.versions.length]);
        uint256 before = token.balanceOf(to);
        WrappedCoin(getWNATIVE).deposit{value: msg.value}();
        Pay.send(getWNATIVE, poolAt(path, 0), msg.value);
        swapAlong(path, to);
        amountOut = token.balanceOf(to) - before;
        if (amountOutMin > amountOut) revert LBRouter__InsufficientAmountOut(amountOutMin, amountOut);
    }

    function swapExactTokensForNATIVESupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMinNATIVE,
        Path memory path,
        address payable to,
        uint256 deadline
    ) external checked(path, deadline) returns (uint256 amountOut) {
        address last = path.tokenPath[path.versions.length];
        if (last != getWNATIVE) revert LBRouter__InvalidTokenPath(last);
        uint256 before = Asset(getWNATIVE).balanceOf(address(this));
        Pay.pull(path.tokenPath[0], msg.sender, poolAt(path, 0), amountIn);
        swapAlong(path, address(this));
        amountOut = Asset(getWNATIVE).balanceOf(address(this)) - before;
        if (amountOutMinNATIVE > amountOut) revert LBRouter__InsufficientAmountOut(amountOutMinNATIVE, amountOut);
        WrappedCoin(getWNATIVE).withdraw(amountOut);
        (bool isOk,) = to.call{value: amountOut}("");
        require(isOk, "The coin does not arrive");
    }

    function swapAlong(Path memory path, address to) private {
        uint256 count = path.versions.length;
        for (uint256 index = 0; index < count; index++) {
            BinPool pool = BinPool(poolAt(path, index));
            address recipient = index + 1 == count ? to : poolAt(path, index + 1);
            pool.swap(path.tokenPath[index + 1] == pool.getTokenY(), recipient);
        }
    }

    function poolAt(Path memory path, uint256 index) private view returns (address pool) {
        (address a, address b) = (path.tokenPath[index], path.tokenPath[index + 1]);
        uint256 step = path.pairBinSteps[index];
        BinFactory factory = path.versions[index] == 2 ? getFactoryV2_1 : getFactory;
        pool = factory.getLBPairInformation(a, b, step).LBPair;
        if (pool == address(0) || path.versions[index] < 2) revert LBRouter__PairNotCreated(a, b, step);
    }
}
