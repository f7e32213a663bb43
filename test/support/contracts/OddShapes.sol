// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token whose functions return nothing, as USDT's do.
contract VoidToken {
    string public constant name = "Void";
    string public constant symbol = "VOID";
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 10 ** 27;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Answers in the shapes of the first tokens, before ERC-20 was settled: names of 32 bytes, and wide decimals.
contract OldToken {
    bytes32 public constant name = "Old";
    bytes32 public constant symbol = "OLD";
    uint256 public constant decimals = 18;
    uint256 public constant totalSupply = 10 ** 27;
    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
    }
}
