// Code for this library is written as if it brought Foundation and Dispatch with it.
@_exported import Dispatch
@_exported import Foundation
