// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Reverts whatever it is asked.
contract Reverting {
    fallback() external {
        revert("no");
    }
}

/// Takes all gas, whatever it is asked.
contract GasEater {
    fallback() external {
        assembly {
            invalid()
        }
    }
}

/// Answers nothing, whatever it is asked.
contract Silent {
    fallback() external {}
}
