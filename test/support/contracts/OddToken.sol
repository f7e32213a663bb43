// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "../../../lib/tools/dev/chains/contracts/Token.sol";

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
        Spies
    }

    Oddity private immutable oddity;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply, Oddity oddity_)
        Token(name_, symbol_, decimals_, supply)
    {
        oddity = oddity_;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        if (oddity == Oddity.Lies && owner.code.length == 0) return balances[owner] * 1000;
        return balances[owner];
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
        emit Transfer(from, to, value);
        if (oddity == Oddity.Idles) return;
        balances[from] -= value;
        balances[to] += oddity == Oddity.Loses && value > 0 ? value - 1 : value;
    }
}
