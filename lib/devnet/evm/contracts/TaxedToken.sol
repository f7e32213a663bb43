// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "./Token.sol";

/// Burns 5 % of every transfer, except those of its deployer.
contract TaxedToken is Token {
    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply)
        Token(name_, symbol_, decimals_, supply)
    {}

    function move(address from, address to, uint256 value) internal override {
        uint256 tax = from == deployer || to == deployer ? 0 : value / 20;
        super.move(from, to, value - tax);
        if (tax > 0) super.move(from, address(0), tax);
    }
}
