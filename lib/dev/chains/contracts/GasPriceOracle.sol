// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Says what layer 1 costs, as the contract of this name does on base. Every byte has the same price.
contract GasPriceOracle {
    uint256 public weiPerByte;

    /// Room for a signature, which the transaction does not have yet.
    uint256 private constant SIGNATURE_BYTES = 68;

    function getL1Fee(bytes calldata unsigned) external view returns (uint256) {
        return (unsigned.length + SIGNATURE_BYTES) * weiPerByte;
    }
}
