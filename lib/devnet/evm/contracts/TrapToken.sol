// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Token.sol";

/// Can be bought but not sold: only its deployer can send it to a contract, such as a pool.
contract TrapToken is Token {
    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply)
        Token(name_, symbol_, decimals_, supply)
    {}

    function move(address from, address to, uint256 value) internal override {
        require(from == deployer || to.code.length == 0, "TRAP: transfer refused");
        super.move(from, to, value);
    }
}
