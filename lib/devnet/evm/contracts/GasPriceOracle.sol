// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Returns the L1 fee, like the contract of this name on base. Every byte has the same price.
contract GasPriceOracle {
    uint256 public weiPerByte;

    /// Added for the signature, which the transaction does not have yet.
    uint256 private constant SIGNATURE_BYTES = 68;

    function getL1Fee(bytes calldata unsigned) external view returns (uint256) {
        return (unsigned.length + SIGNATURE_BYTES) * weiPerByte;
    }
}
