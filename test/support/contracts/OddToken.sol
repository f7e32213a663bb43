// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "../../../lib/devnet/evm/contracts/Token.sol";

/// Does one thing in a way that no trader expects, but not to its deployer, so that it can be put into a pool.
contract OddToken is Token {
    enum Oddity {
        RefusesTransfers,
        EatsGas,
        // Accounts seem to have a thousand times what they have. Pools see the truth.
        Lies,
        // Reports transfers that it does not make.
        Idles,
        // Takes an approval only if there is none, as USDT does.
        WantsZeroFirst,
        // Delivers one unit less than its event says, as tokens that count shares do.
        Loses,
        // Can be sold only where gas costs nothing, as in careless simulations.
        Spies,
        // Cannot be sold in the block of its purchase, as many tokens do against bots.
        CoolsDown,
        // Cannot be sold later than 30 seconds after its purchase.
        Closes,
        // Takes at most 300 tokens in a sale.
        LimitsSales,
        // Burns 30 % of a sale of more than 300 tokens.
        TaxesLargeSales,
        // All balances grow by a millionth of their start in each second.
        Grows,
        // Logs no transfers.
        LogsNothing,
        // Logs each transfer twice.
        LogsTwice,
        // Logs transfers with nothing indexed.
        IndexesNothing,
        // Logs transfers with the amount indexed too, as tokens of art do.
        IndexesAll
    }

    struct Moment {
        uint256 number;
        uint256 time;
    }

    uint256 private constant LARGE = 300e18;
    uint256 private constant MILLION = 1e6;

    Oddity private immutable oddity;
    uint256 private immutable start;
    mapping(address => Moment) private bought;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, Oddity oddity_)
        Token(name_, symbol_, decimals_, supply)
    {
        oddity = oddity_;
        start = block.timestamp;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        if (oddity == Oddity.Lies && owner.code.length == 0) return balances[owner] * 1000;
        return (balances[owner] * growth()) / MILLION;
    }

    /// The size of what was one million at the start.
    function growth() private view returns (uint256) {
        return oddity == Oddity.Grows ? MILLION + block.timestamp - start : MILLION;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        require(oddity != Oddity.WantsZeroFirst || value == 0 || allowance[msg.sender][spender] == 0, "not 0");
        return super.approve(spender, value);
    }

    function move(address from, address to, uint256 value) internal override {
        if (from == deployer) return super.move(from, to, value);
        require(oddity != Oddity.RefusesTransfers, "refused");
        if (oddity == Oddity.EatsGas) {
            assembly {
                invalid()
            }
        }
        require(oddity != Oddity.Spies || tx.gasprice == 0 || from != tx.origin, "refused");
        bool isSale = to.code.length > 0;
        if (isSale) {
            Moment storage last = bought[from];
            require(oddity != Oddity.CoolsDown || last.number < block.number, "refused");
            require(oddity != Oddity.Closes || block.timestamp <= last.time + 30, "refused");
            require(oddity != Oddity.LimitsSales || value <= LARGE, "refused");
        } else {
            bought[to] = Moment(block.number, block.timestamp);
        }
        log(from, to, value);
        if (oddity == Oddity.Idles) return;
        if (oddity == Oddity.TaxesLargeSales && isSale && value > LARGE) {
            balances[from] -= (value * 3) / 10;
            value -= (value * 3) / 10;
        }
        if (oddity == Oddity.Grows) value = (value * MILLION + growth() - 1) / growth();
        balances[from] -= value;
        balances[to] += oddity == Oddity.Loses && value > 0 ? value - 1 : value;
    }

    function log(address from, address to, uint256 value) private {
        bytes32 topic = Transfer.selector;
        if (oddity == Oddity.LogsNothing) return;
        if (oddity == Oddity.IndexesNothing) {
            bytes memory data = abi.encode(from, to, value);
            assembly {
                log1(add(data, 32), mload(data), topic)
            }
        } else if (oddity == Oddity.IndexesAll) {
            assembly {
                log4(0, 0, topic, from, to, value)
            }
        } else {
            emit Transfer(from, to, value);
            if (oddity == Oddity.LogsTwice) emit Transfer(from, to, value);
        }
    }
}
