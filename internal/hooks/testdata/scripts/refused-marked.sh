#!/bin/sh
echo mine
echo "# termio-hooks v1"
