#!/bin/sh
echo mine
